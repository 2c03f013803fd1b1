import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import { type ProviderResponse, readJsonObject } from "@tollgate/upstream/provider-response";
import { refuseReportedError } from "@tollgate/upstream/reported-error";
import { requestIdHeader } from "@tollgate/upstream/request-id-header";
import { openaiTranscription, streamedTranscriptionForm } from "./openai/transcription.ts";
import type { AudioUpload, TranscriptionAdapter } from "./transcription-adapter.ts";
import { vendorOf } from "./vendor-of.ts";

/** The provider that takes the file as its body, and the language as `lang`. */
const ownWire: TranscriptionAdapter = {
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
  call: TranscriptionCall,
): Promise<{ bytes: Uint8Array; value: JsonObject }> {
  const adapter = adapterOf(slot);
  const form = adapter.request(slot, upload);
  const response = await send(providers, slot, form, { ...call, accept: "application/json" });
  const { bytes, value } = await readJsonObject(response, call.signal);
  refuseReportedError(value, slot.provider.kind);
  const transcript = adapter.response?.(value);
  if (transcript === undefined) return { bytes, value };
  return { bytes: Buffer.from(JSON.stringify(transcript)), value: transcript };
}

/**
 * Sends a file to a slot that takes OpenAI's form, and asks for a stream. Resolves with the response once
 * its head has arrived. Throws what `ProviderClient.send` throws.
 */
export function postStreamedTranscription(
  providers: ProviderClient,
  slot: Slot,
  upload: AudioUpload,
  call: TranscriptionCall,
): Promise<ProviderResponse> {
  const form = streamedTranscriptionForm(slot, upload);
  return send(providers, slot, form, { ...call, accept: "text/event-stream" });
}

function adapterOf(slot: Slot): TranscriptionAdapter {
  const own = vendorOf(slot).transcription;
  if (own !== undefined) return own;
  return slot.provider.takesTranscriptionForms ? openaiTranscription : ownWire;
}

function send(
  providers: ProviderClient,
  slot: Slot,
  { headers, ...request }: ReturnType<TranscriptionAdapter["request"]>,
  { requestId, signal, defaultTimeoutMs, accept }: TranscriptionCall & { accept: string },
): Promise<ProviderResponse> {
  const sent = {
    ...request,
    method: "POST",
    path: slot.path,
    headers: { accept, ...headers, ...requestIdHeader(requestId) },
    defaultTimeoutMs,
  } as const;
  return providers.send(slot, sent, signal);
}
