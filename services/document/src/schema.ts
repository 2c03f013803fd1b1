import type { DatabaseSchema } from "@tollgate/runtime/database/migrate";

/** The tables of the document service. */
export const documentSchema: DatabaseSchema = {
  name: "document",
  migrations: new URL("../prisma/migrations/", import.meta.url),
};
