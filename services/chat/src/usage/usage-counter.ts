import type { JsonObject } from "@tollgate/core/json";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { contentCharacters, indexOf } from "../wires/chat/content.ts";
import type { Chunk } from "../wires/chunk.ts";
import { approximateUsage } from "./usage.ts";

/** Counts the usage of a stream. */
export class UsageCounter {
  readonly #promptCharacters: bigint;
  readonly #open = new Set<number>();
  readonly #finished = new Set<number>();
  #characters = 0;
  #delivered = false;
  #reported: ChatUsage | undefined;

  constructor(promptCharacters: bigint) {
    this.#promptCharacters = promptCharacters;
  }

  /** Counts a chunk. `isDelivered`: something was sent to the client for it. */
  add({ usage, choices }: Pick<Chunk, "usage" | "choices">, isDelivered: boolean): void {
    this.#delivered ||= isDelivered;
    this.#reported = usage ?? this.#reported;
    for (const choice of choices) this.#addChoice(choice);
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

  /** Returns the provider's usage, else the approximate one under the basis `fallback`. */
  usage(fallback: "approx4" | "delivered_approx4"): ChatUsage {
    return this.#reported ?? approximateUsage(this.#promptCharacters, this.#characters, fallback);
  }

  /** Finishes those of `count` choices that have not ended. Returns what ends them. */
  endByLength(count: bigint): JsonObject[] {
    const indexes = Array.from({ length: Number(count) }, (_, index) => index);
    const choices = indexes
      .filter((index) => !this.#finished.has(index))
      .map((index) => ({ index, delta: {}, finish_reason: "length" }));
    for (const choice of choices) this.#addChoice(choice);
    return choices;
  }

  #addChoice(choice: JsonObject): void {
    const index = indexOf(choice);
    const reason = choice.finish_reason ?? undefined;
    this.#characters += contentCharacters(choice.delta);
    if (reason === undefined) {
      if (!this.#finished.has(index)) this.#open.add(index);
      return;
    }
    this.#finished.add(index);
    this.#open.delete(index);
  }
}
