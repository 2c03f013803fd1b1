import type { DatabaseSchema } from "@tollgate/runtime/database/migrate";

/** The document service's own tables. */
export const documentSchema: DatabaseSchema = {
  name: "document",
  migrations: new URL("../prisma/migrations/", import.meta.url),
};
