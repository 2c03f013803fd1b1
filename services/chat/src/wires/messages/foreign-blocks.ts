import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { anthropicCallId } from "@tollgate/providers/anthropic/call-ids";
import { hasSameItems } from "../same-items.ts";
import { detailsIn, mayBeUnsigned } from "../signed-details.ts";

/** A call id that Anthropic does not take. */
const foreignId = /"(?:tool_use_)?id"\s*:\s*"(?![\w-]+")/;
const thought = /"type"\s*:\s*"thinking"/g;
const signature = /"signature"\s*:\s*"(?!")/g;
const emptyData = /"redacted_thinking"\s*,\s*"data"\s*:\s*""/;

const budget = /"thinking"\s*:\s*\{\s*"type"\s*:\s*"enabled"/;
const assistant = /"role"\s*:\s*"assistant"/g;

/** Whether the bytes of a request may have blocks that Anthropic would refuse. */
export function mayHaveForeignBlocks(body: Buffer): boolean {
  const text = body.toString("latin1");
  if (foreignId.test(text) || emptyData.test(text)) return true;
  if (mayBeUnsigned(text, thought, signature)) return true;
  if (!text.includes('"tool_use"') || !budget.test(text)) return false;
  const lastTurn = text.slice([...text.matchAll(assistant)].at(-1)?.index ?? 0);
  return lastTurn.includes('"tool_use"') && !/thinking"\s*[,}]/.test(lastTurn);
}

/**
 * Returns a request without the blocks of thinking that Anthropic did not sign, and with ids of calls that
 * it takes; the same object where nothing is changed.
 */
export function withoutForeignBlocks(request: JsonObject): JsonObject {
  const given = objectsIn(request.messages);
  const messages = given.map(ownMessage).filter((message) => message !== undefined);
  const sent = hasSameItems(messages, given) ? request : { ...request, messages };
  return isUnthoughtLoop(request, messages) ? withoutThinking(sent) : sent;
}

/** Returns a message with what Anthropic takes of its blocks; undefined where nothing is left. */
function ownMessage(message: JsonObject): JsonObject | undefined {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const blocks: unknown[] = content.filter((block) => !isForeignThought(block)).map(withOwnId);
  if (blocks.length === 0 && content.length > 0) return undefined;
  return hasSameItems(blocks, content) ? message : { ...message, content: blocks };
}

function isForeignThought(block: unknown): boolean {
  if (!isJsonObject(block)) return false;
  const { type } = block;
  if (type !== "thinking" && type !== "redacted_thinking") return false;
  const signed = type === "thinking" ? block.signature : block.data;
  return typeof signed !== "string" || signed === "" || detailsIn(signed) !== undefined;
}

function withOwnId(block: unknown): unknown {
  if (!isJsonObject(block)) return block;
  const name = idMembers[String(block.type)];
  const id = name === undefined ? undefined : block[name];
  if (name === undefined || typeof id !== "string") return block;
  const sent = anthropicCallId(id);
  return sent === id ? block : { ...block, [name]: sent };
}

/** The members with the id of a call, by the type of their block. */
const idMembers: Readonly<Record<string, string>> = { tool_use: "id", tool_result: "tool_use_id" };

/**
 * Whether the last turn calls tools without thinking, which Anthropic refuses while thinking has a budget:
 * https://docs.claude.com/en/docs/build-with-claude/extended-thinking#preserving-thinking-blocks
 */
function isUnthoughtLoop({ thinking }: JsonObject, messages: readonly JsonObject[]): boolean {
  if (!isJsonObject(thinking) || thinking.type !== "enabled") return false;
  const blocks = objectsIn(messages.findLast(({ role }) => role === "assistant")?.content);
  if (!blocks.some(({ type }) => type === "tool_use")) return false;
  return blocks[0]?.type !== "thinking" && blocks[0]?.type !== "redacted_thinking";
}

/** Edits of thinking are refused where there is none. */
function withoutThinking({ thinking: _, context_management: management, ...rest }: JsonObject) {
  if (!isJsonObject(management)) return rest;
  const edits = objectsIn(management.edits).filter(
    ({ type }) => !String(type).startsWith("clear_thinking"),
  );
  return edits.length === 0 ? rest : { ...rest, context_management: { ...management, edits } };
}
