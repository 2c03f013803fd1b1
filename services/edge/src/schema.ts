import type { DatabaseSchema } from "@tollgate/runtime/database/migrate";

/** The tables of the edge service. */
export const edgeSchema: DatabaseSchema = {
  name: "edge",
  migrations: new URL("../prisma/migrations/", import.meta.url),
};
