import type { DatabaseSchema } from "@tollgate/runtime/database/migrate";

/** The edge service's own tables. */
export const edgeSchema: DatabaseSchema = {
  name: "edge",
  migrations: new URL("../prisma/migrations/", import.meta.url),
};
