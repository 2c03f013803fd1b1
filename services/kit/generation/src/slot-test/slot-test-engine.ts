import type { Model, Slot } from "@tollgate/catalog/model";
import type { NanoUsd } from "@tollgate/core/money";
import type { Measurement } from "@tollgate/metering/measurement";
import { completedFields } from "@tollgate/metering/usage-event-fields";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import type { Engine } from "../engine.ts";
import { readToFirst } from "../first-chunk.ts";
import type { BillableCall, Generation } from "../generation.ts";

/** The failure, time and usage of a tested call. */
export interface SlotTestRecord {
  failure?: SlotFailure;
  firstByteMs?: number;
  usage?: Measurement;
}

/**
 * An engine that attempts each call at the only slot of a model, and ignores the circuit breakers. It holds and
 * charges no money, and publishes no usage event. A route that uses it runs the same code as for a client.
 * `record` has the result of the call.
 */
export class SlotTestEngine implements Engine {
  readonly record: SlotTestRecord = {};
  readonly #model: Model;
  readonly #redact: ProviderClient["redact"];

  /** `model` has one slot. */
  constructor(model: Model, redact: ProviderClient["redact"]) {
    this.#model = model;
    this.#redact = redact;
  }

  get jobHolds(): never {
    throw new Error("a test creates no job");
  }

  hasRoom(): boolean {
    return true;
  }

  resolve(): Model {
    return this.#model;
  }

  generate<T>(call: BillableCall, work: (generation: Generation) => Promise<T>): Promise<T> {
    return work(this.#generation(call));
  }

  async *stream<Chunk>(
    call: BillableCall,
    work: (generation: Generation) => AsyncIterable<Chunk>,
  ): AsyncGenerator<Chunk> {
    try {
      yield* work(this.#generation(call));
    } catch (error) {
      this.#note(error);
      throw error;
    }
  }

  attemptFree: Engine["attemptFree"] = async ({ chain }, attempt) => {
    const slot = chain[0] as Slot;
    return { slot, response: await attempt(slot) };
  };

  async recordLate(): Promise<void> {}

  #generation({ estimate, model }: BillableCall): Generation {
    const { record } = this;
    const slot = model.chain[0];
    if (slot === undefined) throw new Error("the model of a test has a slot");
    const measured = (usage: Measurement): NanoUsd => {
      record.usage = usage;
      return completedFields(slot, usage).costNanoUsd;
    };
    const attempt = async <Response>(call: (slot: Slot) => Promise<Response>) => {
      const startedAt = performance.now();
      try {
        const response = await call(slot);
        record.firstByteMs = performance.now() - startedAt;
        return { slot, response };
      } catch (error) {
        this.#note(error);
        throw error;
      }
    };
    return {
      held: estimate,
      walletBalance: undefined,
      rates: undefined,
      grow: async (more) => more,
      attempt,
      attemptStream: (open) =>
        attempt(async (one) => {
          const opened = await open(one);
          return { ...opened, chunks: await readToFirst(opened.chunks) };
        }),
      identify() {},
      billPartial() {},
      async measured(_, usage) {
        const charge = measured(usage);
        return { charge, settle: async () => charge };
      },
      settle: async (_, usage) => measured(usage),
      callerLeft() {},
    };
  }

  #note(error: unknown): void {
    const slot = this.#model.chain[0];
    if (!(error instanceof SlotFailure) || slot === undefined) return;
    error.redactMessages((text) => this.#redact(slot, text));
    this.record.failure = error;
  }
}
