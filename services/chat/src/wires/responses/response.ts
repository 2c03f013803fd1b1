import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { isComplete } from "../chat/call-parts.ts";
import type { WithChoices } from "../chat/completion.ts";
import { toolCallText } from "../chat/content.ts";
import { generatedReasoning } from "../generated-message.ts";
import type { ResponseContext } from "../response-context.ts";
import {
  callItem,
  callKind,
  contentPart,
  type ItemStatus,
  itemId,
  messageItem,
  reasoningItem,
} from "./items.ts";
import { endOf, responseObject } from "./response-object.ts";
import { namedTools } from "./tools.ts";
import { responseUsage } from "./usage.ts";

/** Returns a chat completion as a response. */
export function responseFromChat(
  { choices: [choice = {}] }: WithChoices,
  usage: ChatUsage,
  context: ResponseContext,
): JsonObject {
  const message = isJsonObject(choice.message) ? choice.message : {};
  const end = endOf(choice.finish_reason);
  const output = itemsOf(message, context, end.status);
  return responseObject(context, { ...end, output, usage: responseUsage(usage) });
}

function itemsOf(message: JsonObject, context: ResponseContext, status: ItemStatus): JsonObject[] {
  const items: JsonObject[] = [];
  const reasoning = generatedReasoning(message);
  const details = objectsIn(message.reasoning_details);
  if (reasoning !== "" || details.length > 0) {
    items.push(reasoningItem(itemId("rs", context.id, 0), reasoning, details));
  }
  const content = contentOf(message);
  if (content.length > 0) {
    items.push(messageItem(itemId("msg", context.id, items.length), content, status));
  }
  const tools = namedTools(context.client.json);
  for (const call of objectsIn(message.tool_calls)) {
    const { name, text } = toolCallText(call);
    const tool = tools.get(name) ?? { name, input: "json" as const };
    const id = itemId(callKind(tool), context.id, items.length);
    const isCut = status === "incomplete" && !isComplete(text);
    items.push(callItem({ id, callId: call.id, tool, text }, isCut ? status : "completed"));
  }
  return items;
}

function contentOf({ content, refusal }: JsonObject): JsonObject[] {
  const texts = [content, ...objectsIn(content).map(({ text }) => text)];
  const parts = texts
    .filter((text) => typeof text === "string")
    .filter((text) => text !== "")
    .map((text) => contentPart("output_text", text));
  const refused = typeof refusal === "string" && refusal !== "";
  return refused ? [...parts, contentPart("refusal", refusal)] : parts;
}
