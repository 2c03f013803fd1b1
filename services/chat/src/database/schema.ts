import type { DatabaseSchema } from "@tollgate/runtime/database/migrate";

/** The tables of the chat service. */
export const chatSchema: DatabaseSchema = {
  name: "chat",
  migrations: new URL("../../prisma/migrations/", import.meta.url),
};
