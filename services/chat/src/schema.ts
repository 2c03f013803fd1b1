import type { DatabaseSchema } from "@tollgate/runtime/database/migrate";

/** The chat service's own tables. */
export const chatSchema: DatabaseSchema = {
  name: "chat",
  migrations: new URL("../prisma/migrations/", import.meta.url),
};
