import type { Slot } from "@tollgate/catalog/model";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import { readJsonObject } from "@tollgate/upstream/provider-response";
import { refusalHint } from "@tollgate/upstream/refusal";
import type { OcrAdapter, OcrResponse } from "../ocr-adapter.ts";
import { withSegment } from "../path-segment.ts";
import { postDocument } from "./ocr-document.ts";

/** The states of https://docs.mistral.ai/api/endpoint/batch, in the words of OCR jobs. */
const states: ReadonlyMap<unknown, string> = new Map([
  ["QUEUED", "queued"],
  ["RUNNING", "running"],
  ["CANCELLATION_REQUESTED", "running"],
  ["SUCCESS", "completed"],
  ["FAILED", "failed"],
  ["TIMEOUT_EXCEEDED", "failed"],
  ["CANCELLED", "cancelled"],
]);

/** Creates a batch job of one request, which stands in the body. */
export const createBatchJob: OcrAdapter["createJob"] = async (providers, slot, upload, call) => {
  const bodyOf = (document: JsonObject) => ({
    endpoint: "/v1/ocr",
    model: slot.upstreamModel,
    requests: [{ custom_id: "0", body: { document } }],
  });
  const sent = { path: jobsPathOf(slot), bodyOf };
  const { value } = await postDocument(providers, slot, sent, upload, call);
  return respond({ job_id: value.id, status: stateOf(value) }, 202);
};

/** Reads a batch job and, where it has succeeded, the result of its request. */
export const readBatchJob: OcrAdapter["readJob"] = async (providers, slot, jobId, signal) => {
  const path = withSegment(jobsPathOf(slot), encodeURIComponent(jobId));
  // Results that are not in the response are in a file.
  const query = { inline: "true" };
  const batch = await getJson(providers, slot, { path, query }, signal);
  const status = stateOf(batch);
  const own = { job_id: jobId, status };
  if (status === "failed" || status === "cancelled") return failed(own, `is ${batch.status}`);
  if (status !== "completed") return respond(own);
  const result = await resultOf(providers, slot, batch, signal);
  if (result === undefined) return failed(own, "has no result");
  if (result.status_code !== 200) {
    const said = refusalHint(result.status_code, result.body, slot.provider.kind);
    const hint = said === undefined ? "" : ` It said: ${providers.redact(slot, said)}`;
    return failed(own, `ended with ${result.status_code}`, hint);
  }
  if (!isJsonObject(result.body) || !Array.isArray(result.body.pages)) {
    throw new SlotFailure("rejected", "the result of the provider's job has no pages");
  }
  return respond({ ...own, ...result.body, ...own });
};

function jobsPathOf({ jobsPath = "/batch/jobs" }: Slot): string {
  return jobsPath;
}

/** A state that is not known is final where the job has results. */
function stateOf({ status, outputs, output_file: file }: JsonObject): string {
  const hasResults = (Array.isArray(outputs) && outputs.length > 0) || typeof file === "string";
  return states.get(status) ?? (hasResults ? "completed" : "running");
}

/** Returns the response to the request of a job; undefined where it has none. */
async function resultOf(
  providers: ProviderClient,
  slot: Slot,
  { outputs, output_file: file }: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const [inline] = Array.isArray(outputs) ? outputs : [];
  if (inline === undefined && typeof file !== "string") return undefined;
  const path = `/files/${encodeURIComponent(String(file))}/content`;
  // A file of JSON lines with a single one.
  const output: unknown = inline ?? (await getJson(providers, slot, { path }, signal));
  if (isJsonObject(output) && isJsonObject(output.response)) return output.response;
  return undefined;
}

async function getJson(
  providers: ProviderClient,
  slot: Slot,
  target: { path: string; query?: Record<string, string> },
  signal: AbortSignal,
): Promise<JsonObject> {
  const request = { method: "GET", ...target, headers: { accept: "application/json" } } as const;
  const { value } = await readJsonObject(await providers.send(slot, request, signal), signal);
  return value;
}

/** Returns a failed job. `hint` is the provider's message where it is about the document. */
function failed(own: JsonObject, how: string, hint = ""): OcrResponse {
  const status = own.status === "completed" ? "failed" : own.status;
  return respond({ ...own, status, error: { message: `The provider's job ${how}.${hint}` } });
}

function respond(value: JsonObject, status = 200): OcrResponse {
  return { status, bytes: Buffer.from(JSON.stringify(value)), value };
}
