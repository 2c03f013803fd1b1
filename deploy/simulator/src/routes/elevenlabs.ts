import { z } from "zod";
import { GARBAGE, secondsOf } from "../audio/received-audio.ts";
import { spokenText, timedWords } from "../audio/spoken-words.ts";
import type { SimulatorRoute } from "../call.ts";
import { sendInvalidRequest, sendProviderError } from "../error-response.ts";
import { injectFaults } from "../faults.ts";
import { queryBodyRoute } from "../query-body-route.ts";
import { readReceivedForm } from "../read-form.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";
import { prettyJson, sendJson } from "../send-json.ts";
import { sendSpeech } from "./speech.ts";

const speechBody = z.strictObject({
  text: z.string().min(1),
  model_id: z.string().min(1),
  voice_settings: z.strictObject({ speed: z.number().min(0.7).max(1.2).optional() }).optional(),
});

/** https://elevenlabs.io/docs/api-reference/text-to-speech/stream */
const streamedFormat = /^(?:mp3|opus)_\d+_\d+$|^(?:pcm|ulaw|alaw)_\d+$/;
/** https://elevenlabs.io/docs/api-reference/text-to-speech/convert */
const wholeFormat = /^(?:mp3|opus)_\d+_\d+$|^(?:pcm|wav|ulaw|alaw)_\d+$/;

function textToSpeech(path: string, format: RegExp): SimulatorRoute {
  return queryBodyRoute({
    path,
    schema: z.object({
      query: z.strictObject({ output_format: z.string().regex(format).optional() }),
      body: speechBody,
    }),
    modelOf: ({ body }) => body.model_id,
    respond: (commanded, { query, body }) => {
      const [codec = ""] = (query.output_format ?? "mp3").split("_");
      return sendSpeech(commanded, body.text, contentTypes[codec] ?? "audio/basic");
    },
  });
}

const contentTypes: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  pcm: "audio/pcm",
  wav: "audio/wav",
};

const voices = [
  { voice_id: "alto", name: "Alto", category: "premade", labels: {} },
  { voice_id: "tenor", name: "Tenor", category: "premade", labels: {} },
];

/** https://elevenlabs.io/docs/api-reference/speech-to-text/convert */
const transcriptionForm = z.strictObject({
  model_id: z.string().min(1),
  language_code: z
    .string()
    .regex(/^[a-z]{2,3}$/)
    .optional(),
  diarize: z.enum(["true", "false"]).optional(),
  tag_audio_events: z.enum(["true", "false"]).optional(),
  timestamps_granularity: z.enum(["none", "word", "character"]).optional(),
});

const speechToText: SimulatorRoute = {
  method: "POST",
  path: "/elevenlabs/v1/speech-to-text",
  async handle(call) {
    const { fields, file } = await readReceivedForm(call.request);
    const parsed = transcriptionForm.safeParse(fields);
    const model = String(fields.model_id ?? "");
    const recorded = recordCall(call, { model }, { fields });
    if (!parsed.success) return sendInvalidRequest(call, parsed.error, recorded);
    if (file === undefined) {
      return sendProviderError(call, { status: 400, message: "a file is required" }, recorded);
    }
    const { language_code: language = "eng", diarize } = parsed.data;
    recorded.upload = { ...file.upload, lang: parsed.data.language_code };
    await runCommanded(call, recorded, { model }, async (commands) => {
      if (await injectFaults(call, recorded, commands)) return;
      if (file.head.toString("latin1").startsWith(GARBAGE)) {
        const message = "The file is corrupted. Please ensure it is playable audio.";
        return sendProviderError(call, { status: 400, message }, recorded);
      }
      recorded.status = 200;
      const duration = commands.duration ?? secondsOf(file.head, file.upload.bytes);
      const value = {
        language_code: language,
        language_probability: 0.98,
        text: spokenText,
        words: timedWords(duration).flatMap(({ written, start, end, speaker }, index) => {
          const speaker_id = diarize === "true" ? `speaker_${speaker}` : null;
          const word = { text: written, start, end, type: "word", speaker_id, logprob: -0.1 };
          const space = {
            text: " ",
            start,
            end: start,
            type: "spacing",
            speaker_id,
            logprob: -0.1,
          };
          return index === 0 ? [word] : [space, word];
        }),
        transcription_id: String(recorded.seq),
        ...(commands.no_duration ? {} : { audio_duration_secs: duration }),
      };
      await sendJson(call, recorded, commands, prettyJson(value));
    });
  },
};

/** The routes of ElevenLabs' API. */
export const elevenlabsRoutes: readonly SimulatorRoute[] = [
  textToSpeech("/elevenlabs/v1/text-to-speech/*/stream", streamedFormat),
  textToSpeech("/elevenlabs/v1/text-to-speech/*", wholeFormat),
  speechToText,
  {
    method: "GET",
    path: "/elevenlabs/v1/voices",
    async handle(call) {
      const recorded = recordCall(call, { model: "" }, undefined);
      await runCommanded(call, recorded, { model: "" }, async (commands) => {
        if (await injectFaults(call, recorded, commands)) return;
        recorded.status = 200;
        await sendJson(call, recorded, commands, prettyJson({ voices }));
      });
    },
  },
];
