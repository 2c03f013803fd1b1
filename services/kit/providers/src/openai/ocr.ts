import type { Slot } from "@tollgate/catalog/model";
import type { ProviderClient, ProviderRequest } from "@tollgate/upstream/provider-client";
import { readJsonObject } from "@tollgate/upstream/provider-response";
import { refuseReportedError } from "@tollgate/upstream/reported-error";
import { requestIdHeader } from "@tollgate/upstream/request-id-header";
import type { OcrAdapter, OcrCall, OcrResponse, OcrUpload } from "../ocr-adapter.ts";
import { withSegment } from "../path-segment.ts";

/** OCR by a provider that takes the form of the gateway. It is sent byte for byte as it arrived. */
export const openaiOcr: OcrAdapter = {
  read: (providers, slot, upload, call) => forward(providers, slot, slot.path, upload, call),
  createJob: (providers, slot, upload, call) =>
    forward(providers, slot, jobsPathOf(slot), upload, call),
  readJob(providers, slot, jobId, signal) {
    const path = withSegment(jobsPathOf(slot), encodeURIComponent(jobId));
    const headers = { accept: "application/json" };
    // An error that the object reports may be that of the job.
    return requestJson(providers, slot, { method: "GET", path, headers }, signal);
  },
};

function jobsPathOf({ path, jobsPath }: Slot): string {
  return jobsPath ?? withSegment(path, "jobs");
}

async function forward(
  providers: ProviderClient,
  slot: Slot,
  path: string,
  { contentType, bytes, read }: OcrUpload,
  { requestId, signal }: OcrCall,
): Promise<OcrResponse> {
  const headers = {
    accept: "application/json",
    "content-type": contentType,
    "content-length": String(bytes),
    ...requestIdHeader(requestId),
  };
  const request = { method: "POST", path, headers, body: read() } as const;
  const response = await requestJson(providers, slot, request, signal);
  refuseReportedError(response.value, slot.provider.kind);
  return response;
}

async function requestJson(
  providers: ProviderClient,
  slot: Slot,
  request: ProviderRequest,
  signal: AbortSignal,
): Promise<OcrResponse> {
  const response = await providers.send(slot, request, signal);
  return { status: response.status, ...(await readJsonObject(response, signal)) };
}
