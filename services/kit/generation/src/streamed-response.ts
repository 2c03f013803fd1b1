import type { Model, Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import type { NanoUsd } from "@tollgate/core/money";
import type { Measurement } from "@tollgate/metering/measurement";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { Generation } from "./generation.ts";
import type { Pipeline } from "./pipeline.ts";

/** A request whose answer comes in pieces, and what is particular to it. */
export interface StreamedOrder<Piece> {
  caller: Caller | undefined;
  model: Model;
  estimate: NanoUsd;
  /** What the ledger links the charge to. */
  conversationId?: string | undefined;
  /**
   * One slot's answer. A SlotFailure means that it did not serve: one that is raised before the
   * first piece lets another slot take over.
   */
  open(slot: Slot, held: NanoUsd): Promise<AsyncIterable<Piece>>;
  /** Called once all pieces are out. Raises when the answer ended before its end. */
  finish?(): void;
  measure(slot: Slot): Measurement;
  /** What is billed when the client has left; undefined when nothing is. */
  measureLeft(slot: Slot): Measurement | undefined;
  /**
   * Called once all is out, before the charge is made. What it raises ends the answer as broken;
   * what was delivered is billed all the same.
   */
  beforeCharge?(charge: NanoUsd): Promise<void>;
  /** A last piece, once the charge is safe. */
  last?(cost: NanoUsd): Piece;
}

/**
 * The pipeline's way for an answer that comes in pieces. An answer that breaks raises
 * `upstream_rejected` and is not billed. A client that leaves is billed for what it was sent, and
 * one that was sent everything for all of it, whatever fails after.
 */
export async function* streamAnswer<Piece>(
  pipeline: Pipeline,
  order: StreamedOrder<Piece>,
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  const { caller, model, estimate, conversationId } = order;
  const generation = await pipeline.open(caller, model, estimate, conversationId);
  let slot: Slot | undefined;
  let settled = false;
  let failure: unknown;
  try {
    const served = await generation.call((one) => openToFirst(order, one, generation.held));
    slot = served.slot;
    generation.firstPiece();
    yield* served.answer;
    order.finish?.();
    const measured = order.measure(slot);
    generation.answered(measured);
    settled = true;
    const cost = await settleWhole(generation, order, slot, measured);
    if (order.last !== undefined) yield order.last(cost);
  } catch (error) {
    failure = error;
    throw error instanceof SlotFailure && !signal.aborted ? cutStream() : error;
  } finally {
    // Reached unsettled by a failure, and by a client that left at any point.
    if (!settled) {
      await settleEarlyEnd(generation, order, signal.aborted ? slot : undefined, failure);
    }
  }
}

/** Waits for the first piece, so that a slot that has none still counts as failed. */
async function openToFirst<Piece>(
  order: StreamedOrder<Piece>,
  slot: Slot,
  held: NanoUsd,
): Promise<AsyncIterable<Piece>> {
  const pieces = (await order.open(slot, held))[Symbol.asyncIterator]();
  return behind(await pieces.next(), pieces);
}

/** All items, of which the first is read already. */
function behind<Item>(
  first: IteratorResult<Item>,
  rest: AsyncIterator<Item>,
): AsyncIterableIterator<Item> {
  let unread: IteratorResult<Item> | undefined = first;
  return {
    next() {
      if (unread === undefined) return rest.next();
      const read = Promise.resolve(unread);
      unread = undefined;
      return read;
    },
    async return() {
      await rest.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Charges for a whole answer, which the client has by now, also where what comes first fails. */
async function settleWhole<Piece>(
  generation: Generation,
  { beforeCharge }: StreamedOrder<Piece>,
  slot: Slot,
  measured: Measurement,
): Promise<NanoUsd> {
  try {
    await beforeCharge?.(generation.chargeOf(measured));
  } catch (error) {
    await generation.complete(slot, measured);
    throw error;
  }
  return generation.complete(slot, measured);
}

/** What a client is told when the provider does not end a stream as it should. */
export function cutStream(): GatewayError {
  return new GatewayError("upstream_rejected", "The provider ended the stream before its finish.");
}

async function settleEarlyEnd<Piece>(
  generation: Generation,
  { caller, measureLeft }: StreamedOrder<Piece>,
  slot: Slot | undefined,
  failure: unknown,
): Promise<void> {
  // A request with a charge id outlives its client. Where it is given up all the same, its runner
  // died, and another will run it whole and be charged.
  const mayRunAgain = caller !== undefined && caller.chargeId !== "";
  const measured = slot === undefined || mayRunAgain ? undefined : measureLeft(slot);
  if (slot === undefined || measured === undefined) return generation.fail(failure);
  await generation.complete(slot, measured);
}
