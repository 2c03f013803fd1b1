import type { DatabaseSchema } from "@tollgate/runtime/database/migrate";

/** The billing service's own tables. */
export const billingSchema: DatabaseSchema = {
  name: "billing",
  migrations: new URL("../prisma/migrations/", import.meta.url),
};
