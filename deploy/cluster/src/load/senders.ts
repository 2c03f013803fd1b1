import { setTimeout as sleep } from "node:timers/promises";
import { type Body, postOnce, type Target } from "./http-request.ts";
import { microUsdPerAudioSecond, models } from "./models.ts";
import type { LoadKind } from "./plan.ts";
import { openSocket } from "./web-socket.ts";

/** Sends one request. Resolves with its cost in micro-USD. Throws what is wrong with its response. */
type Sender = (target: Target) => Promise<number>;

export const senders: Readonly<Record<LoadKind, Sender>> = {
  json: sendJson,
  stream: sendStream,
  upload: sendUpload,
  live: sendLive,
  images: sendImages,
};

const messages = [{ role: "user", content: "Hello" }];

async function sendJson(target: Target): Promise<number> {
  const body = jsonBody({ model: models.json, messages });
  return costIn(await postOnce(target, "/v1/chat/completions", body));
}

async function sendStream(target: Target): Promise<number> {
  const options = { stream: true, stream_options: { include_usage: true } };
  const body = jsonBody({ model: models.stream, messages, ...options });
  const text = await postOnce(target, "/v1/chat/completions", body);
  const costMicroUsd = costIn(text);
  if (!text.trimEnd().endsWith("data: [DONE]")) throw new Error("cut");
  return costMicroUsd;
}

async function sendImages(target: Target): Promise<number> {
  const body = jsonBody({ model: models.images, prompt: "a cat" });
  return costIn(await postOnce(target, "/v1/images/generations", body));
}

/** 16-bit PCM, 16 kHz, mono. */
const bytesPerSecond = 32_000;

/** Uploads a WAV file of one second. */
async function sendUpload(target: Target): Promise<number> {
  const text = await postOnce(target, "/v1/audio/transcriptions", transcriptionForm);
  if (!text.includes('"text"')) throw new Error(`no text in ${text.slice(-200)}`);
  return microUsdPerAudioSecond;
}

const frameMs = 100;
const liveSeconds = 3;

/** Sends three seconds of audio at the speed of speech. */
async function sendLive({ url, key, host }: Target): Promise<number> {
  const socket = await openSocket(`${url}/v1/audio/transcriptions/stream`, { key, host });
  socket.sendText(JSON.stringify({ model: models.audio, format: "pcm_s16le" }));
  const frame = Buffer.alloc((bytesPerSecond * frameMs) / 1_000, 7);
  for (let sentMs = 0; sentMs < liveSeconds * 1_000; sentMs += frameMs) {
    socket.sendBinary(frame);
    await sleep(frameMs);
  }
  socket.sendText('{"action":"flush"}');
  const { code, texts } = await socket.closed;
  if (code !== 1_000) throw new Error(`closed with ${code} ${texts.at(-1) ?? ""}`);
  if (!texts.some((text) => text.includes('"transcription.final"'))) throw new Error("no final");
  return liveSeconds * microUsdPerAudioSecond;
}

function costIn(text: string): number {
  const [, dollars, millionths] = /"cost":\s*(\d+)\.(\d{6})/.exec(text) ?? [];
  if (dollars === undefined) throw new Error(`no cost in ${text.slice(-200)}`);
  return Number(dollars) * 1_000_000 + Number(millionths);
}

function jsonBody(value: object): Body {
  return { type: "application/json", bytes: Buffer.from(JSON.stringify(value)) };
}

const transcriptionForm = formOf(models.audio, wavOf(Buffer.alloc(bytesPerSecond, 7)));

function formOf(model: string, file: Buffer): Body {
  const boundary = "----tollgate-load";
  const field = (name: string) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"`;
  const bytes = Buffer.concat([
    Buffer.from(`${field("model")}\r\n\r\n${model}\r\n`),
    Buffer.from(`${field("file")}; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n`),
    file,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { type: `multipart/form-data; boundary=${boundary}`, bytes };
}

function wavOf(samples: Buffer): Buffer {
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(bytesPerSecond / 2, 24);
  head.writeUInt32LE(bytesPerSecond, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
