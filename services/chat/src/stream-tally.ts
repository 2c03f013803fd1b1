import type { JsonObject } from "@tollgate/kit/json";
import type { Chunk } from "./chunk.ts";
import { approximateUsage, type ChatUsage, usageBlock } from "./usage.ts";

/** What is counted of a stream, for its meter and for its last chunk. */
export interface Tally {
  add(chunks: readonly Chunk[]): void;
  readonly finished: boolean;
  readonly delivered: boolean;
  /** What its chunks say of the answer as a whole. */
  readonly head: { id: unknown; created: unknown; finishReason: unknown };
  usage(fallback: "approx4" | "delivered_approx4"): ChatUsage;
  usageChunk(own: JsonObject, usage: ChatUsage, cost: bigint): Uint8Array;
}

export function createTally(promptCharacters: bigint): Tally {
  const open = new Set<number>();
  const finished = new Set<number>();
  let characters = 0;
  let delivered = false;
  let reported: ChatUsage | undefined;
  let last: Chunk | undefined;
  let finishReason: unknown;
  return {
    add(chunks) {
      for (const chunk of chunks) {
        characters += chunk.characters;
        delivered ||= chunk.forward !== undefined;
        reported = chunk.usage ?? reported;
        finishReason = chunk.finishReason ?? finishReason;
        for (const index of chunk.seen) if (!finished.has(index)) open.add(index);
        for (const index of chunk.finished) {
          finished.add(index);
          open.delete(index);
        }
        last = chunk;
      }
    },
    get finished() {
      // Some providers answer with fewer choices than were asked for.
      return finished.size > 0 && open.size === 0;
    },
    get delivered() {
      return delivered;
    },
    get head() {
      return { id: last?.id, created: last?.created, finishReason };
    },
    usage: (fallback) => reported ?? approximateUsage(promptCharacters, characters, fallback),
    usageChunk(own, usage, cost) {
      const { id, created } = last ?? {};
      const object = "chat.completion.chunk";
      const chunk = {
        id,
        object,
        created,
        ...own,
        choices: [],
        usage: usageBlock(usage, cost),
      };
      return Buffer.from(JSON.stringify(chunk));
    },
  };
}
