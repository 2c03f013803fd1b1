import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import {
  type ProviderRequest,
  readJsonObject,
  requestIdHeader,
} from "@tollgate/upstream/provider-client";
import { refuseReportedError } from "@tollgate/upstream/reported-error";
import type { OcrForm } from "./form.ts";

export interface OcrAnswer {
  status: number;
  bytes: Uint8Array;
  value: JsonObject;
}

/**
 * Sends a form to a slot, byte for byte as it came. Raises a SlotFailure, also for a reported
 * error.
 */
export async function forwardForm(
  providers: ProviderRuntime["providers"],
  slot: Slot,
  { path, requestId }: { path: string; requestId: string },
  { body, contentType }: OcrForm,
  signal: AbortSignal,
): Promise<OcrAnswer> {
  const headers = {
    accept: "application/json",
    "content-type": contentType,
    "content-length": String(body.bytes),
    ...requestIdHeader(requestId),
  };
  const request: ProviderRequest = { method: "POST", path, headers, body: body.read() };
  const answer = await askSlot(providers, slot, request, signal);
  refuseReportedError(answer.value);
  return answer;
}

/** Asks a slot for a JSON object, which may tell of a job's error. Raises a SlotFailure. */
export async function askSlot(
  providers: ProviderRuntime["providers"],
  slot: Slot,
  request: ProviderRequest,
  signal: AbortSignal,
): Promise<OcrAnswer> {
  const answer = await providers.send(slot, request, signal);
  return { status: answer.status, ...(await readJsonObject(answer, signal)) };
}
