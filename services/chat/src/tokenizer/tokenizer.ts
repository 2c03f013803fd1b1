import { Worker } from "node:worker_threads";
import type { Log } from "@tollgate/core/log";
import type { TextSample } from "./text-sample.ts";
import type { CountRequest, CountResponse } from "./tokenizer-thread.ts";

/** Counts the tokens of texts by o200k_base, which OpenAI's models use. */
export interface Tokenizer {
  /**
   * Resolves with the tokens of each text, estimated from its sample. Where the thread has failed, a
   * token has four characters. Never rejects.
   */
  count(texts: readonly TextSample[]): Promise<number[]>;
  stop(): Promise<void>;
}

/** The vocabulary takes 80 MiB of the process. Counting random CJK for long adds 70 MiB at most. */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };

/** A thread that fails at its start is not started again and again. */
const maxStarts = 5;

/**
 * Starts the tokenizer in a thread of its own: its vocabulary takes a third of a second to load, and
 * a text of CJK some milliseconds.
 */
export function startTokenizer(log: Log): Tokenizer {
  return new ThreadTokenizer(log);
}

class ThreadTokenizer implements Tokenizer {
  readonly #log: Log;
  readonly #pending = new Map<number, (tokens: readonly number[] | undefined) => void>();
  #worker: Worker | undefined;
  #starts = 0;
  #nextId = 0;

  constructor(log: Log) {
    this.#log = log;
    this.#start();
  }

  async count(texts: readonly TextSample[]): Promise<number[]> {
    const counted = await this.#request(texts.map((text) => text.pieces()));
    return texts.map((text, index) => estimate(text, counted?.[index]));
  }

  async stop(): Promise<void> {
    this.#starts = maxStarts;
    await this.#worker?.terminate();
  }

  #request(texts: readonly (readonly string[])[]): Promise<readonly number[] | undefined> {
    const worker = this.#worker;
    if (worker === undefined || texts.every((pieces) => pieces.length === 0)) {
      return Promise.resolve(undefined);
    }
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
      worker.postMessage({ id, texts } satisfies CountRequest);
    });
  }

  #start(): void {
    this.#starts += 1;
    const worker = new Worker(new URL("./tokenizer-thread.ts", import.meta.url), {
      resourceLimits,
      // Options of the process, such as the size of its heap, are not for the thread.
      execArgv: [],
    });
    worker.unref();
    worker.on("message", ({ id, tokens }: CountResponse) => {
      this.#pending.get(id)?.(tokens);
      this.#pending.delete(id);
    });
    worker.on("error", (error) => {
      this.#log.error({ reason: error.message }, "the tokenizer's thread failed");
    });
    worker.on("exit", () => this.#restart());
    this.#worker = worker;
  }

  #restart(): void {
    this.#worker = undefined;
    for (const resolve of this.#pending.values()) resolve(undefined);
    this.#pending.clear();
    if (this.#starts < maxStarts) this.#start();
  }
}

/** Returns the tokens of a text whose sample has `counted` tokens. */
function estimate(text: TextSample, counted: number | undefined): number {
  const sampled = text.pieces().reduce((sum, piece) => sum + piece.length, 0);
  if (counted === undefined || sampled === 0) return Math.ceil(text.length / 4);
  return Math.ceil((counted * text.length) / sampled);
}
