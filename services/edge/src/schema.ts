import type { DatabaseSchema } from "@tollgate/kit/database/migrate";

/** The edge service's own tables. */
export const edgeSchema: DatabaseSchema = {
  name: "edge",
  migrations: new URL("../prisma/migrations/", import.meta.url),
};
