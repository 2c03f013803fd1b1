import type { Commands } from "../commands.ts";
import { callBody, callPart } from "./custom-tool-call.ts";
import { type FinishReason, simulatedFinishReason } from "./finish-reason.ts";
import type { GeneratedChoice, SimulatedGeneration } from "./generation.ts";
import { parallelCalls, type ToolCall } from "./invented-call.ts";
import { fillerOf } from "./invented-text.ts";

/** One chunk of a stream, before it is serialized. */
export interface SimulatedChunk {
  readonly kind: "role" | "content" | "finish";
  readonly index: number;
  readonly delta: object;
  /** The characters of this chunk that are billed as completion. */
  readonly characters: number;
  readonly finishReason: FinishReason | null;
}

const WORDS_PER_CHUNK = 3;

/** A longer word counts as several, so that JSON has several chunks, too. */
const words = /\s*\S{1,16}|\s+$/gu;

/**
 * Yields the chunks of a stream: each choice's role, then the contents of all choices in turns,
 * then each choice's finish reason. A content chunk has a few words; with the command `chunks`, each
 * choice has that many.
 */
export function* simulatedChunks(
  { choices }: SimulatedGeneration,
  commands: Commands,
): Generator<SimulatedChunk, void> {
  for (const { index, toolCall } of choices) {
    const delta = { role: "assistant", content: toolCall ? null : "" };
    yield { kind: "role", index, delta, characters: 0, finishReason: null };
  }
  if (commands.show_reasoning) {
    const delta = { reasoning_content: fillerOf(commands.reasoning ?? 1) };
    yield { kind: "content", index: 0, delta, characters: 0, finishReason: null };
  }
  const byChoice = choices.map((choice) => contentsOf(choice, commands));
  const rounds = Math.max(...byChoice.map((contents) => contents.length));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, contents] of byChoice.entries()) {
      const content = contents[round];
      if (content) yield { kind: "content", index, ...content, finishReason: null };
    }
  }
  for (const choice of choices) {
    const finishReason = simulatedFinishReason(choice, commands);
    yield { kind: "finish", index: choice.index, delta: {}, characters: 0, finishReason };
  }
}

type Content = Pick<SimulatedChunk, "delta" | "characters">;

function contentsOf({ content, toolCall }: GeneratedChoice, commands: Commands): Content[] {
  if (toolCall) return parallelCalls(toolCall, commands).flatMap(splitToolCall);
  return splitText(content, commands.chunks).map((text) => ({
    delta: { content: text },
    characters: text.length,
  }));
}

/** Splits a text into the contents of chunks: a few words each, or `count` equal parts. */
export function splitText(text: string, count: number | undefined): string[] {
  return count === undefined ? splitByWords(text) : splitEvenly(text, count);
}

/** Returns the name with the first half of the arguments, then the second half. */
function splitToolCall(call: ToolCall, index: number): Content[] {
  const { id, name, arguments: text } = call;
  const half = Math.ceil(text.length / 2);
  const [start, rest] = [text.slice(0, half), text.slice(half)];
  const first = { index, id, ...callBody(call, start) };
  const second = { index, ...callPart(call, rest) };
  return [
    { delta: { tool_calls: [first] }, characters: name.length + start.length },
    { delta: { tool_calls: [second] }, characters: rest.length },
  ];
}

function splitByWords(text: string): string[] {
  const found = text.match(words) ?? [];
  const parts: string[] = [];
  for (let at = 0; at < found.length; at += WORDS_PER_CHUNK) {
    parts.push(found.slice(at, at + WORDS_PER_CHUNK).join(""));
  }
  return parts;
}

/** Splits into exactly `count` parts, or one per character when there are fewer characters. */
function splitEvenly(text: string, count: number): string[] {
  const characters = Array.from(text);
  const parts = Math.min(count, characters.length);
  return Array.from({ length: parts }, (_, part) => {
    const from = Math.floor((part * characters.length) / parts);
    const to = Math.floor(((part + 1) * characters.length) / parts);
    return characters.slice(from, to).join("");
  });
}
