import { createHash } from "node:crypto";
import { GARBAGE, secondsOf } from "../audio/received-audio.ts";
import type { SimulatorCall, SimulatorRoute } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import type { Commands } from "../commands.ts";
import { sendProviderError } from "../error-response.ts";
import { injectFaults } from "../faults.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";
import { prettyJson, sendJson } from "../send-json.ts";
import { formTranscriptions } from "./transcription-form.ts";

const HEAD_BYTES = 64;
const LANGUAGES: readonly string[] = ["en", "de", "fr"];

/**
 * Transcribes a file that is the raw request body, or in OpenAI's form. The model, with its commands, and the language
 * are query parameters.
 */
export const transcriptions: SimulatorRoute = {
  method: "POST",
  path: "/v1/audio/transcriptions",
  async handle(call) {
    if (/^multipart\/form-data/i.test(call.request.headers["content-type"] ?? "")) {
      return formTranscriptions(call);
    }
    const query = new URLSearchParams(call.search);
    const model = query.get("model") ?? "";
    const recorded = recordCall(call, { model }, undefined);
    await runCommanded(call, recorded, { model }, async (commands) => {
      const head = await receiveUpload(call, recorded, query.get("lang") ?? undefined);
      if (await injectFaults(call, recorded, commands)) return;
      await respond(call, recorded, commands, head);
    });
  },
};

/** Records the size and SHA-256 of the body. Resolves with its first bytes. */
export async function receiveUpload(
  call: SimulatorCall,
  recorded: RecordedCall,
  lang: string | undefined,
): Promise<Buffer> {
  const hash = createHash("sha256");
  let head = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of call.request as AsyncIterable<Buffer>) {
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES);
    hash.update(chunk);
    bytes += chunk.length;
  }
  const contentType = call.request.headers["content-type"] ?? "";
  recorded.upload = { contentType, bytes, sha256: hash.digest("hex"), lang };
  return head;
}

async function respond(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  head: Buffer,
): Promise<void> {
  const { lang, bytes = 0 } = recorded.upload ?? {};
  if (commands.needs_lang && !LANGUAGES.includes(lang ?? "")) {
    recorded.status = 502;
    recorded.outcome = "failed";
    call.response.writeHead(502, { "content-type": "text/plain; charset=utf-8" });
    call.response.end("502 Bad Gateway: language not served\n");
    return;
  }
  if (head.toString("latin1").startsWith(GARBAGE)) {
    sendProviderError(call, { status: 400, message: "the audio cannot be decoded" }, recorded);
    return;
  }
  recorded.status = 200;
  const duration = commands.duration ?? secondsOf(head, bytes);
  const value = {
    text: "simulated transcript",
    language: lang ?? "en",
    ...(commands.no_duration ? {} : { duration }),
  };
  await sendJson(call, recorded, commands, prettyJson(value));
}
