import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Model, Slot } from "@tollgate/catalog/model";
import { type Cancellable, Cancellation } from "@tollgate/core/cancellation";
import { GatewayError, PeerError } from "@tollgate/core/errors";
import { newRequestId } from "@tollgate/core/ids";
import { divideCost, maxBalanceNanoUsd } from "@tollgate/core/money";
import { Admission, type Caller, CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import type { SlotTest, SlotTestResultSchema } from "@tollgate/proto/tollgate/v1/slot_test";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import type { ProviderRuntime } from "../provider-runtime.ts";
import { errorTextOf } from "./error-text.ts";
import { SlotTestEngine, type SlotTestRecord } from "./slot-test-engine.ts";
import { openTested } from "./tested-catalog.ts";

/** Longer than a small response or an image takes, and shorter than the timeout of the console. */
const timeoutMs = 45_000;

/** The parts with which a service serves the call of a test like that of a client. */
export interface TestedCall {
  runtime: ProviderRuntime;
  model: Model;
  test: SlotTest;
  caller: Caller;
  cancellation: Cancellable;
}

/**
 * Calls a slot by `serve`, which makes the smallest request of the model's route. Resolves with the result, also
 * if the slot does not serve. No account is charged. Throws `not_found` for a model or a slot that the catalog
 * does not have, and `invalid_param` for an unsaved catalog that is not valid.
 */
export async function testSlot(
  runtime: ProviderRuntime,
  test: SlotTest | undefined,
  { signal }: Cancellable,
  serve: (call: TestedCall) => Promise<unknown>,
): Promise<MessageInitShape<typeof SlotTestResultSchema>> {
  if (test === undefined) throw new Error("a request must carry its test");
  const { model, slot, providers, close } = openTested(runtime, test);
  const engine = new SlotTestEngine(model, providers.redact);
  const cancellation = new Cancellation();
  const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const end = () => cancellation.abort(new PeerError("deadline", "the test took too long"));
  ended.addEventListener("abort", end);
  // The estimate is then the most that the call can cost, and no hold grows.
  const admission = Admission.STRICT;
  const caller = create(CallerSchema, { requestId: newRequestId(), admission });
  const tested = { ...runtime, engine, providers };
  const startedAt = performance.now();
  try {
    await serve({ runtime: tested, model, test, caller, cancellation });
    return { ...resultOf(engine.record, slot, startedAt), isServed: true, status: 200 };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const seen = resultOf(engine.record, slot, startedAt);
    return { ...seen, ...failureOf(engine.record, error, slot, providers) };
  } finally {
    ended.removeEventListener("abort", end);
    await close();
  }
}

function resultOf({ firstByteMs, usage }: SlotTestRecord, slot: Slot, startedAt: number) {
  const lines = usage?.lines ?? [];
  const { cost, amounts } = divideCost(lines, maxBalanceNanoUsd);
  return {
    slot: slot.id,
    ...(firstByteMs === undefined ? {} : { firstByteMs: Math.round(firstByteMs) }),
    totalMs: Math.round(performance.now() - startedAt),
    usage: lines.map(({ dimension, quantity }, index) => ({
      dimension,
      quantity,
      amountNanoUsd: amounts[index] ?? 0n,
    })),
    costNanoUsd: cost,
  };
}

function failureOf(
  { failure }: SlotTestRecord,
  error: Error,
  slot: Slot,
  providers: ProviderClient,
): Pick<MessageInitShape<typeof SlotTestResultSchema>, "status" | "error" | "outcome"> {
  const redact = (text: string) => providers.redact(slot, text);
  if (failure !== undefined) {
    const { status = 0, outcome } = failure;
    return { status, outcome, error: errorTextOf(failure, slot.provider.kind, redact) };
  }
  const isForCallers = error instanceof GatewayError || error instanceof PeerError;
  if (!isForCallers) throw error;
  return { error: redact(error.message) };
}
