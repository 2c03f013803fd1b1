import type { JsonObject } from "@tollgate/core/json";
import { type Chunk, indexOf } from "../wires/chat/chunk.ts";
import { chunkEvent } from "../wires/chat/chunk-event.ts";
import { contentCharacters } from "../wires/chat/content.ts";
import { approximateUsage, type ChatUsage, usageBlock } from "./usage.ts";

/** Counts the usage of a stream, for metering and for its last chunk. */
export class UsageCounter {
  readonly #promptCharacters: bigint;
  readonly #open = new Set<number>();
  readonly #finished = new Set<number>();
  #characters = 0;
  #delivered = false;
  #reported: ChatUsage | undefined;
  #last: Chunk | undefined;
  #finishReason: unknown;

  constructor(promptCharacters: bigint) {
    this.#promptCharacters = promptCharacters;
  }

  add(chunk: Chunk): void {
    this.#delivered ||= chunk.forward !== undefined;
    this.#reported = chunk.usage ?? this.#reported;
    for (const choice of chunk.choices) this.#addChoice(choice);
    this.#last = chunk;
  }

  /** Whether every choice received so far has a finish reason. */
  get finished(): boolean {
    // Some providers return fewer choices than were requested.
    return this.#finished.size > 0 && this.#open.size === 0;
  }

  /** Whether a chunk was sent to the client. */
  get delivered(): boolean {
    return this.#delivered;
  }

  get head(): { id: unknown; created: unknown; finishReason: unknown } {
    const { id, created } = this.#last?.head ?? {};
    return { id, created, finishReason: this.#finishReason };
  }

  /** Returns the provider's usage, else the approximate one under the basis `fallback`. */
  usage(fallback: "approx4" | "delivered_approx4"): ChatUsage {
    return this.#reported ?? approximateUsage(this.#promptCharacters, this.#characters, fallback);
  }

  /** Returns the event of the last chunk, which has the usage and the cost. */
  usageChunk(usage: ChatUsage, cost: bigint): Uint8Array {
    const chunk = { ...this.#last?.head, choices: [], usage: usageBlock(usage, cost) };
    return chunkEvent(JSON.stringify(chunk));
  }

  /** Finishes the choices that have not ended. Returns the event that says so to the client. */
  endByLength(count: bigint): Uint8Array {
    const indexes = Array.from({ length: Number(count) }, (_, index) => index);
    const choices = indexes
      .filter((index) => !this.#finished.has(index))
      .map((index) => ({ index, delta: {}, finish_reason: "length" }));
    for (const choice of choices) this.#addChoice(choice);
    return chunkEvent(JSON.stringify({ ...this.#last?.head, choices }));
  }

  #addChoice(choice: JsonObject): void {
    const index = indexOf(choice);
    const reason = choice.finish_reason ?? undefined;
    this.#characters += contentCharacters(choice.delta);
    if (reason === undefined) {
      if (!this.#finished.has(index)) this.#open.add(index);
      return;
    }
    if (index === 0) this.#finishReason = reason;
    this.#finished.add(index);
    this.#open.delete(index);
  }
}
