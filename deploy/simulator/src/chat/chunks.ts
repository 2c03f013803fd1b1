import type { Choice, Generation } from "./generation.ts";
import type { ToolCall } from "./tool-call.ts";

/** One step of a stream, before it is written out. */
export interface Chunk {
  readonly kind: "role" | "content" | "finish";
  readonly index: number;
  readonly delta: object;
  /** The characters of this step that count as completion. */
  readonly characters: number;
  readonly finishReason: Choice["finishReason"] | null;
}

const WORDS_PER_PIECE = 3;

/**
 * The steps of a stream: each choice's role, then their contents in turns, then their finishes.
 * Contents come a few words at a time, or in `pieceCount` pieces where that is given.
 */
export function* chunksOf(
  { choices }: Generation,
  pieceCount: number | undefined,
): Generator<Chunk, void> {
  for (const { index, toolCall } of choices) {
    const delta = { role: "assistant", content: toolCall ? null : "" };
    yield { kind: "role", index, delta, characters: 0, finishReason: null };
  }
  const byChoice = choices.map((choice) => piecesOf(choice, pieceCount));
  const rounds = Math.max(...byChoice.map((pieces) => pieces.length));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, pieces] of byChoice.entries()) {
      const piece = pieces[round];
      if (piece) yield { kind: "content", index, ...piece, finishReason: null };
    }
  }
  for (const { index, finishReason } of choices) {
    yield { kind: "finish", index, delta: {}, characters: 0, finishReason };
  }
}

type Piece = Pick<Chunk, "delta" | "characters">;

function piecesOf({ content, toolCall }: Choice, pieceCount: number | undefined): Piece[] {
  if (toolCall) return splitToolCall(toolCall);
  const texts = pieceCount === undefined ? splitByWords(content) : splitEvenly(content, pieceCount);
  return texts.map((text) => ({ delta: { content: text }, characters: text.length }));
}

/** The name and half of the arguments, then the other half. */
function splitToolCall({ id, name, arguments: json }: ToolCall): Piece[] {
  const half = Math.ceil(json.length / 2);
  const [start, rest] = [json.slice(0, half), json.slice(half)];
  const first = { index: 0, id, type: "function", function: { name, arguments: start } };
  const second = { index: 0, function: { arguments: rest } };
  return [
    { delta: { tool_calls: [first] }, characters: name.length + start.length },
    { delta: { tool_calls: [second] }, characters: rest.length },
  ];
}

function splitByWords(text: string): string[] {
  const words = text.match(/\s*\S+|\s+$/g) ?? [];
  const pieces: string[] = [];
  for (let at = 0; at < words.length; at += WORDS_PER_PIECE) {
    pieces.push(words.slice(at, at + WORDS_PER_PIECE).join(""));
  }
  return pieces;
}

/** Exactly `count` pieces, or one a character where there are fewer characters. */
function splitEvenly(text: string, count: number): string[] {
  const characters = Array.from(text);
  const pieces = Math.min(count, characters.length);
  return Array.from({ length: pieces }, (_, piece) => {
    const from = Math.floor((piece * characters.length) / pieces);
    const to = Math.floor(((piece + 1) * characters.length) / pieces);
    return characters.slice(from, to).join("");
  });
}
