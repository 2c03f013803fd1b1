import { z } from "zod";
import { GARBAGE, secondsOf } from "../audio/received-audio.ts";
import { spokenText, timedWords } from "../audio/spoken-words.ts";
import { pause, type SimulatorCall, type SimulatorRoute } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import type { Commands } from "../commands.ts";
import { type ProviderError, sendProviderError } from "../error-response.ts";
import { injectFaults } from "../faults.ts";
import { type ReceivedForm, readReceivedForm } from "../read-form.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";
import { prettyJson, sendJson } from "../send-json.ts";
import { openEvents } from "../sse.ts";
import { unknownParameter } from "../unknown-parameter.ts";

const audioTokensPerSecond = 10;
const textTokens = 4;
const outputTokens = 6;

/** https://platform.openai.com/docs/api-reference/audio/createTranscription */
const form = z.strictObject(
  {
    model: z.string().min(1),
    language: z
      .string()
      .regex(/^[a-z]{2,3}$/, "Invalid language. Language parameter must be specified in ISO-639-1.")
      .optional(),
    prompt: z.string().optional(),
    response_format: z.enum(["json", "verbose_json", "diarized_json"]).default("json"),
    temperature: z.coerce.number().min(0).max(1).optional(),
    stream: z.enum(["true", "false"]).default("false"),
    "timestamp_granularities[]": z.array(z.enum(["word", "segment"])).optional(),
  },
  { error: unknownParameter },
);

type Form = z.output<typeof form>;

const fileName = /\.(?:flac|m4a|mp3|mp4|mpeg|mpga|oga|ogg|wav|webm)$/i;

/**
 * Transcribes a file by OpenAI's form. Models named `whisper` report seconds, all others tokens; a model
 * whose name has `diarize` has segments with speakers.
 */
export const formTranscriptions: SimulatorRoute["handle"] = async (call) => {
  const received = await readReceivedForm(call.request);
  const { fields, file } = received;
  const model = String(fields.model ?? "");
  const recorded = recordCall(call, { model, stream: fields.stream === "true" }, { fields });
  if (file !== undefined) recorded.upload = { ...file.upload, lang: textOf(fields.language) };
  await runCommanded(call, recorded, { model }, async (commands) => {
    if (await injectFaults(call, recorded, commands)) return;
    const parsed = form.safeParse(fields);
    const problem = parsed.success ? problemOf(parsed.data, received) : firstProblem(parsed.error);
    if (problem !== undefined) return sendProviderError(call, problem, recorded);
    recorded.status = 200;
    const seconds =
      commands.duration ?? secondsOf(file?.head ?? Buffer.alloc(0), bytesOf(received));
    const request = parsed.data as Form;
    if (request.stream === "true" && !model.startsWith("whisper")) {
      return sendTranscriptEvents(call, recorded, commands, { request, seconds });
    }
    const value = transcriptOf(request, seconds, commands);
    await sendJson(call, recorded, commands, prettyJson(value));
  });
};

function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function bytesOf({ file }: ReceivedForm): number {
  return file?.upload.bytes ?? 0;
}

function firstProblem({ issues: [issue] }: z.ZodError): ProviderError {
  const param = issue?.path.join(".") ?? "";
  return { status: 400, message: issue?.message ?? "", ...(param === "" ? {} : { param }) };
}

/** Returns why the vendor refuses a request whose fields are valid by themselves. */
function problemOf(request: Form, { file }: ReceivedForm): ProviderError | undefined {
  if (file === undefined || file.part !== "file") {
    return { status: 400, message: "file: Field required", param: "file" };
  }
  if (!fileName.test(file.fileName)) {
    return { status: 400, message: `Unrecognized file format: ${file.fileName}` };
  }
  if (file.head.toString("latin1").startsWith(GARBAGE)) {
    return {
      status: 400,
      message: "The audio file could not be decoded or its format is not supported.",
    };
  }
  const { model, response_format: format, "timestamp_granularities[]": granularities } = request;
  if (granularities !== undefined && format !== "verbose_json") {
    const message =
      "timestamp_granularities are only supported with response_format 'verbose_json'.";
    return { status: 400, message, param: "timestamp_granularities" };
  }
  const isVerbose = format === "verbose_json" && !model.startsWith("whisper");
  if (isVerbose || (format === "diarized_json" && !model.includes("diarize"))) {
    const message = `response_format '${format}' is not compatible with model '${model}'.`;
    return { status: 400, message, param: "response_format" };
  }
  return undefined;
}

function transcriptOf(request: Form, seconds: number, commands: Commands): object {
  const { model, response_format: format, language = "en" } = request;
  const usage = usageOf(model, seconds, commands);
  const text = spokenText;
  if (format === "verbose_json") {
    return {
      task: "transcribe",
      language,
      duration: seconds,
      text,
      segments: segments(seconds),
      ...usage,
    };
  }
  if (format === "diarized_json") {
    return { task: "transcribe", duration: seconds, text, segments: segments(seconds), ...usage };
  }
  return { text, ...usage };
}

function segments(seconds: number): object[] {
  return timedWords(seconds).map(({ written, start, end, speaker }, id) => ({
    id,
    type: "transcript.text.segment",
    text: written,
    start,
    end,
    speaker: speaker === 0 ? "A" : "B",
  }));
}

function usageOf(model: string, seconds: number, commands: Commands): { usage?: object } {
  if (commands.no_usage) return {};
  if (commands.usage_block !== undefined) return { usage: commands.usage_block };
  if (model.startsWith("whisper"))
    return { usage: { type: "duration", seconds: Math.ceil(seconds) } };
  const audio = Math.ceil(seconds * audioTokensPerSecond);
  return {
    usage: {
      type: "tokens",
      input_tokens: audio + textTokens,
      input_token_details: { audio_tokens: audio, text_tokens: textTokens },
      output_tokens: outputTokens,
      total_tokens: audio + textTokens + outputTokens,
    },
  };
}

/** https://platform.openai.com/docs/api-reference/audio/transcript-text-delta-event */
async function sendTranscriptEvents(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  { request, seconds }: { request: Form; seconds: number },
): Promise<void> {
  const writer = openEvents(call, commands);
  const deltas = spokenText
    .split(/(?<= )/)
    .map((delta) => ({ type: "transcript.text.delta", delta }));
  const parts = request.model.includes("diarize") ? segments(seconds) : [];
  const done = {
    type: "transcript.text.done",
    text: spokenText,
    ...usageOf(request.model, seconds, commands),
  };
  for (const event of [...deltas, ...parts, done]) {
    if (recorded.chunksSent === commands.cut_after) {
      recorded.outcome = "cut";
      return writer.cut();
    }
    if (recorded.chunksSent === commands.error_event) {
      recorded.outcome = "error_event";
      await writer.data(JSON.stringify({ type: "error", error: { message: "simulated" } }));
      return writer.end();
    }
    if (recorded.chunksSent === commands.end_after) break;
    if (commands.gap_ms && recorded.chunksSent > 0) await pause(call, commands.gap_ms);
    await writer.data(JSON.stringify(event));
    recorded.chunksSent += 1;
  }
  recorded.outcome = "completed";
  writer.end();
}
