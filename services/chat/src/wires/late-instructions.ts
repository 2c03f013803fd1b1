import type { Slot } from "@tollgate/catalog/model";
import { type JsonObject, objectsIn } from "@tollgate/core/json";
import { vendorChatOf } from "@tollgate/providers/vendor-of";

/**
 * Returns messages without instructions after the first messages of others, where the slot's provider
 * does not take them there. Agents send some between turns. They become text of the user, marked as
 * agents mark such text themselves.
 */
export function placeInstructions(messages: readonly JsonObject[], slot: Slot): JsonObject[] {
  if (vendorChatOf(slot).takesLateInstructions) return [...messages];
  const first = messages.findIndex((message) => !isInstruction(message));
  return messages.map((message, index) => {
    if (first < 0 || index < first || !isInstruction(message)) return message;
    return { role: "user", content: reminder(message.content) };
  });
}

function isInstruction({ role }: JsonObject): boolean {
  return role === "system" || role === "developer";
}

function reminder(content: unknown): string {
  const texts =
    typeof content === "string" ? [content] : objectsIn(content).map(({ text }) => text);
  return `<system-reminder>\n${texts.join("\n")}\n</system-reminder>`;
}
