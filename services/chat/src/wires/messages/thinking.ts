import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { claudeSignatureFormat } from "@tollgate/providers/anthropic/signature-format";
import { detailsIn, signatureOf } from "../signed-details.ts";

/** A block of a message of Anthropic's API. */
export type Block = JsonObject & { type: string };

/**
 * Returns thinking as blocks. Clients send them back unchanged with the results of tools, and
 * `readThinking` reads them then. The signatures of other providers have no place of their own, so they
 * travel together as one signature.
 */
export function thinkingBlocks(text: string, details: readonly JsonObject[]): Block[] {
  const own = details.filter(({ format }) => format === claudeSignatureFormat);
  const blocks = own.map(blockOf);
  const others = details.filter(({ format }) => format !== claudeSignatureFormat);
  const signature = signatureOf(others);
  const isShown = own.some(({ type }) => type === "reasoning.text");
  if (text !== "" && !isShown) blocks.push({ type: "thinking", thinking: text, signature });
  else if (signature !== "") blocks.push({ type: "redacted_thinking", data: signature });
  return blocks;
}

function blockOf({ type, text, signature, data }: JsonObject): Block {
  if (type === "reasoning.text") return { type: "thinking", thinking: text, signature };
  return { type: "redacted_thinking", data };
}

/** Returns whether a detail has the signature of the thinking before it in a stream. */
export function isOwnText({ type, format }: JsonObject): boolean {
  return type === "reasoning.text" && format === claudeSignatureFormat;
}

export interface Thinking {
  text: string;
  details: readonly JsonObject[];
}

/** Reads a block of thinking that a client sends back. */
export function readThinking(block: JsonObject): Thinking {
  const isRedacted = block.type === "redacted_thinking";
  const text = typeof block.thinking === "string" ? block.thinking : "";
  const signed = isRedacted ? block.data : block.signature;
  if (typeof signed !== "string" || signed === "") return { text, details: [] };
  const details = detailsIn(signed);
  if (details !== undefined) return { text, details };
  const detail = isRedacted
    ? { type: "reasoning.encrypted", data: signed, format: claudeSignatureFormat }
    : { type: "reasoning.text", text, signature: signed, format: claudeSignatureFormat };
  return { text, details: [detail] };
}

/** Returns a request without the blocks of thinking that Anthropic did not sign. */
export function withoutForeignThinking(request: JsonObject): JsonObject {
  const messages = objectsIn(request.messages).flatMap((message) => {
    if (!Array.isArray(message.content)) return [message];
    const content = message.content.filter((block) => !isForeign(block));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
  return { ...request, messages };
}

function isForeign(block: unknown): boolean {
  if (!isJsonObject(block)) return false;
  const signed = block.type === "redacted_thinking" ? block.data : block.signature;
  return typeof signed === "string" && detailsIn(signed) !== undefined;
}
