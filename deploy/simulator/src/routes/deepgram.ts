import { z } from "zod";
import { GARBAGE, secondsOf } from "../audio/received-audio.ts";
import { spokenText, timedWords } from "../audio/spoken-words.ts";
import type { SimulatorRoute } from "../call.ts";
import { sendInvalidRequest, sendProviderError } from "../error-response.ts";
import { injectFaults } from "../faults.ts";
import { queryBodyRoute } from "../query-body-route.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";
import { prettyJson, sendJson } from "../send-json.ts";
import { sendSpeech } from "./speech.ts";
import { receiveUpload } from "./transcriptions.ts";

/** https://developers.deepgram.com/docs/tts-media-output-settings: what each encoding combines with. */
const speechQuery = z.discriminatedUnion("encoding", [
  output("mp3", {}),
  output("opus", { container: z.literal("ogg").optional() }),
  output("aac", {}),
  output("flac", {}),
  output("linear16", {
    container: z.enum(["wav", "none"]).optional(),
    sample_rate: z.enum(["8000", "16000", "24000", "32000", "48000"]).optional(),
  }),
]);

function output<Encoding extends string, Shape extends z.ZodRawShape>(
  encoding: Encoding,
  shape: Shape,
) {
  return z.strictObject({ model: z.string().min(1), encoding: z.literal(encoding), ...shape });
}

const flag = z.enum(["true", "false"]).optional();

const contentTypes: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  linear16: "audio/wav",
};

const models = {
  stt: [{ name: "nova-3", canonical_name: "nova-3", architecture: "nova-3" }],
  tts: [{ name: "thalia", canonical_name: "aura-2-thalia-en", architecture: "aura-2" }],
};

/** https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded */
const listenQuery = z.strictObject({
  model: z.string().min(1),
  language: z.string().min(1).optional(),
  detect_language: flag,
  smart_format: flag,
  punctuate: flag,
  diarize: flag,
});

/** Transcribes a file that is the raw request body. */
const listen: SimulatorRoute = {
  method: "POST",
  path: "/deepgram/v1/listen",
  async handle(call) {
    const query = Object.fromEntries(new URLSearchParams(call.search));
    const parsed = listenQuery.safeParse(query);
    const model = query.model ?? "";
    const recorded = recordCall(call, { model }, { query });
    if (!parsed.success) return sendInvalidRequest(call, parsed.error, recorded);
    await runCommanded(call, recorded, { model }, async (commands) => {
      const { language } = parsed.data;
      const head = await receiveUpload(call, recorded, language);
      if (await injectFaults(call, recorded, commands)) return;
      if (head.toString("latin1").startsWith(GARBAGE)) {
        const message = "Bad Request: failed to process audio: corrupt or unsupported data";
        return sendProviderError(call, { status: 400, message }, recorded);
      }
      recorded.status = 200;
      const duration = commands.duration ?? secondsOf(head, recorded.upload?.bytes ?? 0);
      const words = timedWords(duration).map(({ written, ...word }) => ({
        ...word,
        confidence: 0.99,
        ...(parsed.data.diarize === "true" ? { speaker_confidence: 0.9 } : { speaker: undefined }),
        punctuated_word: written,
      }));
      const alternatives = [{ transcript: spokenText, confidence: 0.99, words }];
      const detected = parsed.data.detect_language === "true" ? { detected_language: "en" } : {};
      const value = {
        metadata: {
          request_id: String(recorded.seq),
          sha256: recorded.upload?.sha256,
          channels: 1,
          ...(commands.no_duration ? {} : { duration }),
        },
        results: { channels: commands.no_choices ? [] : [{ alternatives, ...detected }] },
      };
      await sendJson(call, recorded, commands, prettyJson(value));
    });
  },
};

/** The routes of Deepgram's API. */
export const deepgramRoutes: readonly SimulatorRoute[] = [
  queryBodyRoute({
    path: "/deepgram/v1/speak",
    schema: z.object({
      query: speechQuery,
      body: z.strictObject({ text: z.string().min(1).max(2_000) }),
    }),
    modelOf: ({ query }) => query.model,
    respond: (commanded, { query, body }) =>
      sendSpeech(commanded, body.text, contentTypes[query.encoding] ?? ""),
  }),
  listen,
  {
    method: "GET",
    path: "/deepgram/v1/models",
    async handle(call) {
      const recorded = recordCall(call, { model: "" }, undefined);
      await runCommanded(call, recorded, { model: "" }, async (commands) => {
        if (await injectFaults(call, recorded, commands)) return;
        recorded.status = 200;
        await sendJson(call, recorded, commands, prettyJson(models));
      });
    },
  },
];
