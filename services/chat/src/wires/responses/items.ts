import type { JsonObject } from "@tollgate/core/json";
import { signatureOf } from "../signed-details.ts";
import { customInput, type NamedTool, searchArguments } from "./tools.ts";

/** Whether an item is complete; one is not that the wallet or the output limit cut. */
export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** Returns an item with the model's reasoning, and the details that sign it or what follows. */
export function reasoningItem(
  id: string,
  text: string,
  details: readonly JsonObject[],
): JsonObject {
  return {
    id,
    type: "reasoning",
    summary: text === "" ? [] : [{ type: "summary_text", text }],
    ...(details.length === 0 ? {} : { encrypted_content: signatureOf(details) }),
  };
}

/** Returns an item with a message. */
export function messageItem(id: string, content: JsonObject[], status: ItemStatus): JsonObject {
  return { id, type: "message", status, role: "assistant", content };
}

/** Returns the part of a message with text or a refusal. */
export function contentPart(type: "output_text" | "refusal", text: string): JsonObject {
  if (type === "refusal") return { type, refusal: text };
  return { type, annotations: [], logprobs: [], text };
}

/** A call of a tool. */
export interface ToolCallParts {
  id: string;
  callId: unknown;
  tool: NamedTool;
  /** The arguments of the function. */
  text: string;
}

/** Returns an item with a call. */
export function callItem(
  { id, callId, tool, text }: ToolCallParts,
  status: ItemStatus,
): JsonObject {
  const { name, namespace, input } = tool;
  if (input === "search") {
    const search = { execution: "client", arguments: searchArguments(text) };
    return { id, type: "tool_search_call", status, call_id: callId, ...search };
  }
  const named = { call_id: callId, name, ...(namespace === undefined ? {} : { namespace }) };
  if (input === "text") {
    return { id, type: "custom_tool_call", status, input: customInput(text), ...named };
  }
  return { id, type: "function_call", status, arguments: text, ...named };
}

/** The start of an item's id. */
export type ItemKind = "rs" | "msg" | "fc" | "ctc" | "tsc";

/** Returns the kind of the item with a tool's call. */
export function callKind({ input }: NamedTool): ItemKind {
  if (input === "search") return "tsc";
  return input === "text" ? "ctc" : "fc";
}

/** Returns the id of the item at an index of a response. */
export function itemId(kind: ItemKind, responseId: string, index: number): string {
  return `${kind}_${responseId}${index.toString(16).padStart(4, "0")}`;
}
