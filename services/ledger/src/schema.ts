import type { DatabaseSchema } from "@tollgate/runtime/database/migrate";

/** The ledger service's own tables and functions. */
export const ledgerSchema = {
  name: "ledger",
  migrations: new URL("../prisma/migrations/", import.meta.url),
  functions: new URL("../sql/", import.meta.url),
} satisfies DatabaseSchema;
