import type { DatabaseSchema } from "@tollgate/runtime/database/migrate";

/** The ledger service's own tables. */
export const ledgerSchema: DatabaseSchema = {
  name: "ledger",
  migrations: new URL("../prisma/migrations/", import.meta.url),
};
