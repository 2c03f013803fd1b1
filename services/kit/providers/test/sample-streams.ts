import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import type { Unknowns } from "@tollgate/core/testing/unknowns";
import type { KindUnderTest } from "./provider-of-kind.ts";
import type { SampleAnswers } from "./sample-answers.ts";

/** Returns what a usage block is billed by. */
export function billedOf({ vendor }: KindUnderTest, block: unknown): unknown {
  const usage = vendor.chat?.readUsageBlock(block);
  return { tokens: usage?.tokens, reasoning: usage?.reasoningTokens, tools: usage?.toolCalls };
}

/** Returns what a stream says: the deltas joined, the reason to finish, and what it is billed by. */
export function joinChunks({ kind }: SampleAnswers, chunks: readonly JsonObject[]): JsonObject {
  const choices = chunks.flatMap((chunk) => objectsIn(chunk.choices));
  const deltas = choices.map(({ delta }) => (isJsonObject(delta) ? delta : {}));
  const join = (name: string) => deltas.map((delta) => delta[name] ?? "").join("");
  return {
    content: join("content"),
    reasoning: join("reasoning_content"),
    details: deltas.flatMap((delta) => objectsIn(delta.reasoning_details)),
    calls: deltas.flatMap((delta) => objectsIn(delta.tool_calls)),
    finish: choices.map((choice) => choice.finish_reason).filter((reason) => reason !== null),
    usage: billedOf(kind, chunks.at(-1)?.usage),
  };
}

/** Returns the stream of a kind, with unknowns where they are given. */
export function encodeSamples(samples: SampleAnswers, unknowns: Unknowns | undefined): Buffer {
  const { events, eventOf } = samples;
  if (unknowns === undefined) return samples.encode(events, undefined);
  const added = events.map((event) => addToEvent(samples, event, unknowns));
  const among = eventOf === undefined ? added : unknowns.among(added, eventOf);
  return samples.encode(among, unknowns);
}

/** Returns an event with unknowns. An event of Bedrock is its name and its payload, and gets them in the payload. */
function addToEvent({ kind }: SampleAnswers, event: JsonObject, unknowns: Unknowns): JsonObject {
  if (kind.vendor.name !== "bedrock") return unknowns.addTo(event);
  return Object.fromEntries(
    Object.entries(event).map(([name, payload]) => [name, unknowns.addTo(payload)]),
  );
}

/** Returns the media type of a kind's streams. */
export function mediaTypeOf({ kind }: SampleAnswers): string {
  return kind.vendor.name === "bedrock"
    ? "application/vnd.amazon.eventstream"
    : "text/event-stream";
}

/** Returns a stream in pieces of one size, by a seed. They end anywhere in its events. */
export function inPieces(bytes: Buffer, seed: number): Buffer[] {
  const size = 40 + ((seed * 37) % 400);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}
