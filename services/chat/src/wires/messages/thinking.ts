import type { JsonObject } from "@tollgate/core/json";
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
  const own = details.filter(isOwn);
  const blocks = own.map(blockOf);
  const others = details.filter((detail) => !isOwn(detail));
  const isShown = own.some(({ type }) => type === "reasoning.text");
  const signature = signatureOf(others);
  if (text !== "" && !isShown) blocks.push({ type: "thinking", thinking: text, signature });
  else if (others.length > 0) blocks.push({ type: "redacted_thinking", data: signature });
  return blocks;
}

function blockOf({ type, text, signature, data }: JsonObject): Block {
  if (type === "reasoning.text") return { type: "thinking", thinking: text, signature };
  return { type: "redacted_thinking", data };
}

/** Returns whether a detail has the signature of the thinking before it in a stream. */
export function isOwnText(detail: JsonObject): boolean {
  return detail.type === "reasoning.text" && isOwn(detail);
}

/** Whether Claude has signed a detail. A provider between may leave the signature out. */
function isOwn({ type, format, signature, data }: JsonObject): boolean {
  const signed = type === "reasoning.text" ? signature : data;
  return format === claudeSignatureFormat && typeof signed === "string" && signed !== "";
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
