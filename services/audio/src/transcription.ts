import type { ServerResponse } from "node:http";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import { setAliasHeader } from "@tollgate/http/forwarded-caller";
import { type ProxiedRequest, sendJsonBytes } from "@tollgate/http/proxied-request";
import { withUploadStore } from "@tollgate/http/upload-store";
import { RelayedRefusal, transcribe } from "./batch.ts";
import { answerEvents } from "./events-answer.ts";
import { streamTranscription } from "./stream.ts";
import { readUpload } from "./upload.ts";

/** POST /v1/audio/transcriptions, as the edge proxies it. */
export async function answerTranscription(
  runtime: ProviderRuntime,
  { req, res, caller, signal }: ProxiedRequest,
): Promise<void> {
  await withUploadStore(async (store) => {
    const upload = await readUpload(req, store);
    setAliasHeader(res, upload.alias);
    if (upload.stream) {
      const events = streamTranscription(runtime, caller, upload, signal);
      return answerEvents(res, events, signal);
    }
    try {
      sendJsonBytes(res, await transcribe(runtime, caller, upload, signal));
    } catch (error) {
      if (!(error instanceof RelayedRefusal)) throw error;
      relay(res, error);
    }
  });
}

/** A refusal that another try with the same language would only meet again. */
function relay(res: ServerResponse, { refusal }: RelayedRefusal): void {
  res.writeHead(502, {
    ...(refusal.contentType === "" ? {} : { "content-type": refusal.contentType }),
    "content-length": refusal.body.byteLength,
    "x-should-retry": "false",
  });
  res.end(refusal.body);
}
