import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import { readJsonObject } from "@tollgate/upstream/provider-response";
import { refuseReportedError } from "@tollgate/upstream/reported-error";
import { requestIdHeader } from "@tollgate/upstream/request-id-header";
import type { AudioUpload, TranscriptionAdapter } from "./transcription-adapter.ts";
import { vendorOf } from "./vendor-of.ts";

/** The provider that takes the file as its body, and the language as `lang`. */
const ownWire: Pick<TranscriptionAdapter, "request"> = {
  request: (_slot, { language, contentType, bytes, read }) => ({
    query: language === "" ? {} : { lang: language },
    headers: { "content-type": contentType, "content-length": String(bytes) },
    body: read(),
  }),
};

export interface TranscriptionCall {
  requestId: string;
  signal: AbortSignal;
  /** The timeout of a provider for which the catalog sets none. */
  defaultTimeoutMs: number;
}

/**
 * Sends a file to a slot. Resolves with the response: the bytes of the provider, or what an adapter makes
 * of them. Throws what `ProviderClient.send` throws, and a SlotFailure for a response that reports an
 * error or is none.
 */
export async function postTranscription(
  providers: ProviderClient,
  slot: Slot,
  upload: AudioUpload,
  { requestId, signal, defaultTimeoutMs }: TranscriptionCall,
): Promise<{ bytes: Uint8Array; value: JsonObject }> {
  const adapter = vendorOf(slot).transcription;
  const { headers, ...request } = (adapter ?? ownWire).request(slot, upload);
  const sent = {
    ...request,
    method: "POST",
    path: slot.path,
    headers: { accept: "application/json", ...headers, ...requestIdHeader(requestId) },
    defaultTimeoutMs,
  } as const;
  const { bytes, value } = await readJsonObject(await providers.send(slot, sent, signal), signal);
  refuseReportedError(value, slot.provider.kind);
  if (adapter === undefined) return { bytes, value };
  const transcript = adapter.response(value);
  return { bytes: Buffer.from(JSON.stringify(transcript)), value: transcript };
}
