import type { ServerResponse } from "node:http";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import { setAliasHeader } from "@tollgate/http/forwarded-caller";
import { type ProxiedRequest, sendJsonBytes } from "@tollgate/http/proxied-request";
import { withUploadStore } from "@tollgate/http/upload-store";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { sendTranscriptEvents } from "./event-stream-response.ts";
import { LanguageRefusal } from "./language-refusal.ts";
import { streamFile } from "./stream-file.ts";
import { transcribeFile } from "./transcribe-file.ts";
import { readUpload } from "./upload.ts";

/**
 * Handles POST /v1/audio/transcriptions, which the edge proxies. A stream that is open when the grace
 * period of a shutdown is over is not billed.
 */
export async function handleTranscription(
  runtime: ProviderRuntime,
  request: ProxiedRequest,
  graceEnded: AbortSignal,
): Promise<void> {
  const { req, res, caller, cancellation } = request;
  await withUploadStore(request, async (store) => {
    const takesForms = (alias: string) => takesOpenaiForms(runtime, caller, alias);
    const upload = await readUpload(req, store, takesForms);
    setAliasHeader(res, upload.alias);
    if (upload.stream) {
      const { signal } = cancellation;
      const events = streamFile(runtime, caller, upload, { left: signal, graceEnded });
      return sendTranscriptEvents(res, events, signal);
    }
    try {
      sendJsonBytes(res, await transcribeFile(runtime, caller, upload, cancellation));
    } catch (error) {
      if (!(error instanceof LanguageRefusal)) throw error;
      sendRefusal(res, error);
    }
  });
}

/** An unknown alias takes none: it is refused once the form is read. */
function takesOpenaiForms({ engine }: ProviderRuntime, caller: Caller, alias: string): boolean {
  try {
    const { chain } = engine.resolve(alias, "transcriptions", caller);
    return chain.every(({ provider }) => provider.takesTranscriptionForms === true);
  } catch {
    return false;
  }
}

/** Sends the provider's response. */
function sendRefusal(res: ServerResponse, { refusal, isPermanent }: LanguageRefusal): void {
  res.writeHead(502, {
    ...(refusal.contentType === "" ? {} : { "content-type": refusal.contentType }),
    "content-length": refusal.body.byteLength,
    ...(isPermanent ? { "x-should-retry": "false" } : {}),
  });
  res.end(refusal.body);
}
