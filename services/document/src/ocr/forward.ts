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

export interface OcrResponse {
  status: number;
  bytes: Uint8Array;
  value: JsonObject;
}

/**
 * Sends a form to a slot, byte for byte as it arrived. Throws a SlotFailure, also for a reported
 * error.
 */
export async function forwardForm(
  providers: ProviderRuntime["providers"],
  slot: Slot,
  { path, requestId }: { path: string; requestId: string },
  { body, contentType }: OcrForm,
  signal: AbortSignal,
): Promise<OcrResponse> {
  const headers = {
    accept: "application/json",
    "content-type": contentType,
    "content-length": String(body.bytes),
    ...requestIdHeader(requestId),
  };
  const request: ProviderRequest = { method: "POST", path, headers, body: body.read() };
  const response = await requestJson(providers, slot, request, signal);
  refuseReportedError(response.value);
  return response;
}

/**
 * Requests a JSON object from a slot. Throws a SlotFailure, but not for an error that the object
 * reports, which may be that of a job.
 */
export async function requestJson(
  providers: ProviderRuntime["providers"],
  slot: Slot,
  request: ProviderRequest,
  signal: AbortSignal,
): Promise<OcrResponse> {
  const response = await providers.send(slot, request, signal);
  return { status: response.status, ...(await readJsonObject(response, signal)) };
}
