import type { JsonObject } from "@tollgate/core/json";
import { type Chunk, indexOf } from "./chunk.ts";
import { contentCharacters } from "./content.ts";
import { approximateUsage, type ChatUsage, usageBlock } from "./usage.ts";

/** Counts the usage of a stream, for metering and for its last chunk. */
export interface UsageCounter {
  add(chunk: Chunk): void;
  /** Whether every choice received so far has a finish reason. */
  readonly finished: boolean;
  /** Whether a chunk was sent to the client. */
  readonly delivered: boolean;
  readonly head: { id: unknown; created: unknown; finishReason: unknown };
  /** Returns the provider's usage, else the approximate one under the basis `fallback`. */
  usage(fallback: "approx4" | "delivered_approx4"): ChatUsage;
  usageChunk(usage: ChatUsage, cost: bigint): Uint8Array;
  /** Finishes the choices that have not ended. Returns the chunk that says so to the client. */
  endByLength(choices: bigint): Uint8Array;
}

export function createUsageCounter(promptCharacters: bigint): UsageCounter {
  const open = new Set<number>();
  const finished = new Set<number>();
  let characters = 0;
  let delivered = false;
  let reported: ChatUsage | undefined;
  let last: Chunk | undefined;
  let finishReason: unknown;

  function addChoice(choice: JsonObject): void {
    const index = indexOf(choice);
    const reason = choice.finish_reason ?? undefined;
    characters += contentCharacters(choice.delta);
    if (reason === undefined) {
      if (!finished.has(index)) open.add(index);
      return;
    }
    if (index === 0) finishReason = reason;
    finished.add(index);
    open.delete(index);
  }

  return {
    add(chunk) {
      delivered ||= chunk.forward !== undefined;
      reported = chunk.usage ?? reported;
      for (const choice of chunk.choices) addChoice(choice);
      last = chunk;
    },
    get finished() {
      // Some providers return fewer choices than were requested.
      return finished.size > 0 && open.size === 0;
    },
    get delivered() {
      return delivered;
    },
    get head() {
      return { id: last?.head.id, created: last?.head.created, finishReason };
    },
    usage: (fallback) => reported ?? approximateUsage(promptCharacters, characters, fallback),
    usageChunk(usage, cost) {
      const chunk = { ...last?.head, choices: [], usage: usageBlock(usage, cost) };
      return Buffer.from(JSON.stringify(chunk));
    },
    endByLength(count) {
      const indexes = Array.from({ length: Number(count) }, (_, index) => index);
      const choices = indexes
        .filter((index) => !finished.has(index))
        .map((index) => ({ index, delta: {}, finish_reason: "length" }));
      for (const choice of choices) addChoice(choice);
      return Buffer.from(JSON.stringify({ ...last?.head, choices }));
    },
  };
}
