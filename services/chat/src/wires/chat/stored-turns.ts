import type { JsonObject } from "@tollgate/core/json";
import type { Session } from "../../conversations/session.ts";

/** Returns a chat request with the stored turns of its conversation before its messages. */
export function withTurns(chat: JsonObject, session: Session | undefined): JsonObject {
  if (session === undefined) return chat;
  const messages = Array.isArray(chat.messages) ? (chat.messages as readonly unknown[]) : [];
  return { ...chat, messages: [...turnsOf(session), ...messages] };
}

/** Returns the messages of the stored turns. */
export function turnsOf({ prefix }: Session): readonly unknown[] {
  const text = Buffer.concat([...prefix.content]).toString("utf8");
  // A comma follows each turn.
  return JSON.parse(`[${text.slice(0, text.lastIndexOf(","))}]`) as readonly unknown[];
}
