import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { type ChatUsage, type ToolCalls, withToolCalls } from "@tollgate/providers/chat-usage";
import { TextSample } from "../tokenizer/text-sample.ts";
import { addContent, indexOf } from "../wires/chat/content.ts";
import type { Chunk } from "../wires/chunk.ts";
import { generatedReasoning } from "../wires/generated-message.ts";

/** What is counted of a chunk. */
type Counted = Pick<Chunk, "usage" | "choices"> & Partial<Pick<Chunk, "toolCalls">>;

/** Collects what a response delivers, and what its provider reports of it. */
export class UsageCounter {
  readonly #open = new Set<number>();
  readonly #finished = new Set<number>();
  readonly #text = new TextSample();
  /** The length of the text when the provider reported its output last. */
  #reportedLength = 0;
  #reported: ChatUsage | undefined;
  #showsReasoning = false;
  #isEmpty = false;
  /** The calls of tools that the provider has started, by tool; undefined for none. */
  #toolCalls: Map<string, bigint> | undefined;

  add({ usage, choices, toolCalls }: Counted): void {
    for (const choice of choices) this.#addChoice(choice);
    if (toolCalls !== undefined) this.addToolCalls(toolCalls);
    if (usage !== undefined) this.#report(usage);
  }

  /** Adds a complete message. */
  addMessage(message: unknown): void {
    addContent(message, this.#text);
    if (isJsonObject(message)) this.#showsReasoning ||= generatedReasoning(message) !== "";
  }

  /** Adds calls of a tool that the provider runs, where they are items of the response. */
  addToolCalls({ tool, quantity }: ToolCalls): void {
    this.#toolCalls ??= new Map();
    this.#toolCalls.set(tool, (this.#toolCalls.get(tool) ?? 0n) + quantity);
  }

  /** Whether every choice received so far has a finish reason. */
  get finished(): boolean {
    // Some providers return fewer choices than were requested.
    return this.#finished.size > 0 && this.#open.size === 0;
  }

  /** Whether so many choices have a finish reason, and all others that were received. */
  hasFinished(choices: bigint): boolean {
    return this.finished && BigInt(this.#finished.size) >= choices;
  }

  /** The indexes of the choices that have not finished. */
  get open(): readonly number[] {
    return [...this.#open];
  }

  /** What the provider has reported so far: the last value of each dimension. */
  get reported(): ChatUsage | undefined {
    return this.#reported === undefined ? undefined : this.withTools(this.#reported);
  }

  /** Returns usage with the calls of tools that were counted, and that it does not report. */
  withTools(usage: ChatUsage): ChatUsage {
    if (this.#toolCalls === undefined) return usage;
    const calls = [...this.#toolCalls].map(([tool, quantity]) => ({ tool, quantity }));
    return withToolCalls(
      usage,
      calls.filter(({ quantity }) => quantity > 0n),
    );
  }

  /** The same where it is complete: it covers all that was delivered. */
  get complete(): ChatUsage | undefined {
    return this.unreportedShare > 0 ? undefined : this.reported;
  }

  /** What was delivered, of all choices. */
  get text(): TextSample {
    return this.#text;
  }

  /** The part of the text that the provider has not reported, from 0 to 1. */
  get unreportedShare(): number {
    const { length } = this.#text;
    return length === 0 ? 0 : (length - this.#reportedLength) / length;
  }

  /** The stream has ended well, and without any output. */
  endEmpty(): void {
    this.#isEmpty = true;
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Whether text of reasoning was delivered. */
  get showsReasoning(): boolean {
    return this.#showsReasoning;
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

  #report(usage: ChatUsage): void {
    if (!usage.isPromptOnly) this.#reportedLength = this.#text.length;
    else if (this.#reported !== undefined && !this.#reported.isPromptOnly) return;
    this.#reported = usage;
  }

  #addChoice(choice: JsonObject): void {
    const index = indexOf(choice);
    const reason = choice.finish_reason ?? undefined;
    this.addMessage(choice.delta);
    if (reason === undefined) {
      if (!this.#finished.has(index)) this.#open.add(index);
      return;
    }
    this.#finished.add(index);
    this.#open.delete(index);
  }
}
