import { GatewayError } from "@tollgate/core/errors";
import { SlotFailure } from "@tollgate/upstream/failure";
import { brokenStream } from "./broken-stream.ts";
import type { BillableCall, Generation } from "./generation.ts";
import { type GenerationDependencies, openGeneration } from "./open-generation.ts";

/**
 * Takes the hold of a call, runs `work` with its generation, and always settles: what `work` has
 * not settled is settled when it ends. See `Engine.generate`.
 */
export async function runSettled<T>(
  dependencies: GenerationDependencies,
  call: BillableCall,
  work: (generation: Generation) => Promise<T>,
): Promise<T> {
  const generation = await openGeneration(dependencies, call);
  let failure: unknown;
  try {
    return await work(generation);
  } catch (error) {
    failure = error;
    throw recorded(error);
  } finally {
    await generation.close(failure);
  }
}

/** Does the same for a response in chunks. See `Engine.stream`. */
export async function* streamSettled<Chunk>(
  dependencies: GenerationDependencies,
  call: BillableCall,
  work: (generation: Generation) => AsyncIterable<Chunk>,
): AsyncGenerator<Chunk> {
  const generation = await openGeneration(dependencies, call);
  let failure: unknown;
  try {
    yield* work(generation);
  } catch (error) {
    failure = error;
    throw recorded(error instanceof SlotFailure ? brokenStream(error) : error);
  } finally {
    await generation.close(failure);
  }
}

/** Marks an error to say that the ledger has a record of its request, and returns it. */
function recorded(error: unknown): unknown {
  if (error instanceof GatewayError) error.hasRecord = true;
  return error;
}
