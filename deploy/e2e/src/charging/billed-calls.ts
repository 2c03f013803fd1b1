import type { RecordedCall } from "@tollgate/simulator/call-log";
import { bytesPerSecond, wav } from "../audio-files.ts";
import type { Behavior } from "../catalog/charging.ts";
import { imageFile, modelField, rawOcrForm } from "../ocr-form.ts";
import { audioForm, type TranscriptionFields } from "../transcription-client.ts";

/** What a call of the matrix sends, and the price of what the provider counts. */
export interface BilledCall {
  path: string;
  /** Of the model `charge-NAME-BEHAVIOR`. */
  name: string;
  /** Headers of the request besides its key and content. */
  headers?: Readonly<Record<string, string>>;
  /** Returns the body of the request, with spaces in front of JSON, and its content type. */
  write(alias: string, spaces?: number): Promise<WrittenBody>;
  /** The path of the provider that receives the call. */
  providerPath: string;
  /** Returns what the provider's own count costs, in nano-USD. */
  cost(counted: RecordedCall): bigint;
  /** Whether it streams audio, which `endAudioCall` ends. */
  isAudioStream?: true;
  /** Whether it is a stream that runs to its end without its client, which `endCallThatRunsOn` ends. */
  runsOn?: true;
}

export interface WrittenBody {
  bytes: Buffer;
  contentType: string;
}

const text = "What is charged for this?";

function json(
  path: string,
  name: string,
  members: object,
  cost: BilledCall["cost"],
  providerPath = path,
): BilledCall {
  const write = async (model: string, spaces = 0) => ({
    bytes: Buffer.from(
      JSON.stringify({ model, ...members }).replace("{", `{${" ".repeat(spaces)}`),
    ),
    contentType: "application/json",
  });
  return { path, name, write, cost, providerPath };
}

/** Input tokens cost a micro-USD, output tokens four. */
const costOfTokens = ({ promptTokens, completionTokens }: RecordedCall) =>
  BigInt(promptTokens) * 1_000n + BigInt(completionTokens) * 4_000n;

/** The provider counts the seconds of the PCM that it has received, at 100 micro-USD. */
function audioStream(path: string): BilledCall {
  return {
    path,
    name: "hear",
    write: () => Promise.reject(new Error("beginAudio writes it")),
    providerPath: "/v1/audio/stream",
    cost: ({ upload }) => BigInt(Math.ceil((upload?.bytes ?? 0) / bytesPerSecond)) * 100_000n,
    isAudioStream: true,
  };
}

/** The provider reads seven pages. */
function pages(path: string, name: string): BilledCall {
  return {
    path,
    providerPath: path,
    name,
    async write(alias) {
      const { body: bytes, contentType } = rawOcrForm([imageFile, modelField(alias)]);
      return { bytes, contentType };
    },
    cost: () => 7n * 1_500_000n,
  };
}

/** A file of two seconds, which is transcribed as the fields say. */
function transcription(
  name: string,
  cost: BilledCall["cost"],
  fields: TranscriptionFields = {},
): BilledCall {
  const path = "/v1/audio/transcriptions";
  const write = async (model: string) => {
    const form = new Response(audioForm(wav(2), { model, ...fields }));
    const contentType = form.headers.get("content-type") ?? "";
    return { bytes: Buffer.from(await form.arrayBuffer()), contentType };
  };
  return { path, providerPath: path, name, write, cost };
}

const messages = [{ role: "user", content: text }];
const chatPath = "/v1/chat/completions";

/** A word of three letters and its space are one token of any count, so that a prompt has 400. */
const prompt = " the cat and the dog ran out and had fun".repeat(40);
const stream = true;

const longMessages = [{ role: "user", content: prompt }];
const chatMembers = { messages: longMessages, stream };
const messagesMembers = { messages: longMessages, max_tokens: 4_096, stream };
const responsesMembers = { input: prompt, store: false, stream };

const [messagesPath, responsesPath] = ["/v1/messages", "/v1/responses"];

/** The three wires as streams, of a model `charge-NAME-BEHAVIOR` of a provider of chat completions. */
function streamsOf(name: string) {
  return {
    chat: json(chatPath, name, chatMembers, costOfTokens),
    messages: json(messagesPath, name, messagesMembers, costOfTokens, chatPath),
    responses: json(responsesPath, name, responsesMembers, costOfTokens, chatPath),
  };
}

const streams = streamsOf("chat");
const hidden = streamsOf("hidden");
const runsOn = true;

export const billedCalls = {
  chatStream: streams.chat,
  messagesStream: streams.messages,
  responsesStream: streams.responses,
  hiddenChat: { ...hidden.chat, runsOn },
  hiddenMessages: { ...hidden.messages, runsOn },
  hiddenResponses: { ...hidden.responses, runsOn },
  nativeMessages: json(messagesPath, "messages", { messages, max_tokens: 100 }, costOfTokens),
  nativeMessagesStream: json(messagesPath, "messages", messagesMembers, costOfTokens),
  nativeResponses: json(responsesPath, "responses", { input: text, store: false }, costOfTokens),
  nativeResponsesStream: json(responsesPath, "responses", responsesMembers, costOfTokens),
  chat: json(chatPath, "chat", { messages }, costOfTokens),
  messages: json("/v1/messages", "chat", { messages, max_tokens: 100 }, costOfTokens, chatPath),
  responses: json("/v1/responses", "chat", { input: text, store: false }, costOfTokens, chatPath),
  embeddings: json("/v1/embeddings", "embeddings", { input: text }, () => 70n * 1_000n),
  rerank: json("/v1/rerank", "rerank", { query: text, documents: ["a"] }, () => 2_000_000n),
  classification: json("/v1/classification", "classification", { input: text }, () => 7_000_000n),
  images: json(
    "/v1/images/generations",
    "images",
    { prompt: text, n: 2 },
    ({ n }) => BigInt(n) * 40_000_000n,
  ),
  speech: json("/v1/audio/speech", "speech", { input: text, voice: "alto" }, () =>
    BigInt(text.length * 15_000),
  ),
  transcription: transcription("transcription", () => 12n * 100_000n),
  formTranscription: transcription("form", () => 2n * 100_000n),
  formStream: {
    ...transcription("form-stream", () => 2n * 100_000n, { stream: "true" }),
    runsOn: true,
  },
  streamedFile: audioStream("/v1/audio/transcriptions"),
  live: audioStream("/v1/audio/transcriptions/stream"),
  ocr: pages("/v1/ocr", "ocr"),
  job: pages("/v1/ocr/jobs", "job"),
} satisfies Record<string, BilledCall>;

/** Returns the alias of a call's model. */
export function aliasOf({ name }: BilledCall, behavior: Behavior): string {
  return `charge-${name}-${behavior}`;
}
