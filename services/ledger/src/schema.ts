import type { DatabaseSchema } from "@tollgate/runtime/database/migrate";

/** The ledger service's own tables and functions. */
export const ledgerSchema: DatabaseSchema = {
  name: "ledger",
  migrations: new URL("../prisma/migrations/", import.meta.url),
  functions: new URL("../sql/", import.meta.url),
};
