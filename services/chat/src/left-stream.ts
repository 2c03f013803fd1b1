import type { Slot } from "@tollgate/catalog/model";
import { endedByCaller } from "@tollgate/generation/ended-by-caller";
import type { Generation } from "@tollgate/generation/generation";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { isBrokenConnection, isTotalTimeout } from "@tollgate/upstream/provider-response";
import type { StreamPart } from "./forward-chunks.ts";
import type { StreamAllowance } from "./hold/stream-allowance.ts";
import { meteredCall, type PreparedCall } from "./prepare.ts";
import type { ReaderPace } from "./reader-pace.ts";
import { atCost } from "./usage/usage.ts";
import type { UsageCounter } from "./usage/usage-counter.ts";
import type { UsageMeter } from "./usage/usage-meter.ts";

/** The attempt that a provider was called for last. */
export interface CalledSlot {
  slot: Slot;
  counter: UsageCounter;
  pace: ReaderPace;
  /** The rest of a stream that is read on without its client. */
  rest?: { parts: AsyncIterator<StreamPart>; allowance: StreamAllowance };
}

/** How a stream has ended before it was settled. */
export interface EndedEarly {
  /** The error that ended it, if there is one. */
  failure: unknown;
  signal: AbortSignal;
}

/** Returns the parts of an iterator, which stays open where their reader stops. */
export function untilLeft(parts: AsyncIterator<StreamPart>): AsyncIterable<StreamPart> {
  const open = { next: () => parts.next() };
  return { [Symbol.asyncIterator]: () => open };
}

/**
 * Resolves with the usage of a stream that its client, its deadline or the total timeout of its provider has
 * ended: as its provider has reported it, and the rest by the tokenizer. Resolves with undefined where the
 * provider or the gateway
 * has ended it, unless its connection broke while a client did not read, and where the provider was not
 * sent the request (`UnsentCall`, which is another error than the signal's reason).
 */
export async function usageSoFar(
  meter: UsageMeter,
  prepared: PreparedCall,
  { slot, counter, pace, rest }: CalledSlot,
  { failure, signal }: EndedEarly,
): Promise<ChatUsage | undefined> {
  await rest?.parts.return?.();
  // A client that leaves after another failure has not ended the stream.
  const isLeft = failure === undefined || failure === signal.reason;
  const isCallers = isLeft
    ? endedByCaller(signal)
    : isTotalTimeout(failure) || (isBrokenConnection(failure) && pace.isCause());
  if (!isCallers) return undefined;
  return meter.usageOf(meteredCall(prepared, slot), counter);
}

/** Whether the deadline of a stream, or the longest time of its provider's calls, has ended it. */
export function isOutOfTime({ failure, signal }: EndedEarly): boolean {
  return isTotalTimeout(failure) || (failure === signal.reason && endedByCaller(signal));
}

/**
 * Reads on a stream of hidden reasoning that its client has left, or that is out of time: to its end, to its
 * deadline, or until what is held is used up. Resolves with the usage that is reported. Without one, what
 * the provider has generated is unknown, and the usage costs what is held. Resolves with undefined where the
 * provider or the gateway ends it.
 */
export async function usageReadOn(
  meter: UsageMeter,
  prepared: PreparedCall,
  called: CalledSlot,
  { failure, signal, held }: EndedEarly & Pick<Generation, "held">,
): Promise<ChatUsage | undefined> {
  const { slot, counter, rest } = called;
  const error = failure ?? (await readOn(rest));
  if (error !== undefined && !isOutOfTime({ failure: error, signal })) return undefined;
  const usage = await meter.usageOf(meteredCall(prepared, slot), counter);
  const isReported = error === undefined || counter.complete !== undefined;
  if (counter.finished && isReported) return usage;
  const isBroken = error === undefined && rest?.allowance.isUsedUp !== true;
  return isBroken ? undefined : atCost(usage, slot, held);
}

/** Reads a stream to its end. Resolves with the error that ends it, if there is one. */
async function readOn(rest: CalledSlot["rest"]): Promise<unknown> {
  rest?.allowance.stopGrowing();
  try {
    while ((await rest?.parts.next())?.done === false);
    return undefined;
  } catch (error) {
    return error;
  }
}
