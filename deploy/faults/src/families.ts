import { pcm } from "@tollgate/e2e/audio-files";
import { nanoUsd } from "@tollgate/e2e/nano-usd";
import { type Exchange, exchange, type Order, persist } from "./exchange.ts";
import { liveExchange } from "./live-exchange.ts";
import type { Random } from "./random.ts";
import type { Customer, Told } from "./told.ts";
import { type Form, ocrForm, transcriptionForm } from "./uploads.ts";

/** What a request is made of. */
export interface Asking {
  /** One of the edges; each attempt may take another. */
  edge(): string;
  customer: Customer;
  random: Random;
  /** A UUID that the seed decides. */
  uuid(): string;
  /** No provider misbehaves, and no client leaves. */
  isFair: boolean;
}

export type Family = (asking: Asking) => Promise<Told[]>;

const keyedDeadlineMs = 120_000;
const perSecond = 100_000n;
const perPage = 1_500_000n;
const perSearch = 2_000_000n;

/** The providers' moods in chat: most calls go well. */
const chatAliases = [
  ...Array.from({ length: 12 }, () => "test-small"),
  "test-failover",
  "test-failover-dead",
  "test-failover-empty",
  "test-no-usage",
  "test-cut",
  "test-failing",
  "test-dead",
];

/** Every route family, with its share of the requests. */
export const families: readonly { name: string; weight: number; ask: Family }[] = [
  { name: "chat", weight: 20, ask: chat },
  { name: "chat stream", weight: 16, ask: chatStream },
  { name: "chat stream, left", weight: 6, ask: chatLeft },
  { name: "chat, keyed", weight: 8, ask: chatKeyed },
  { name: "chat stream, keyed", weight: 5, ask: chatStreamKeyed },
  { name: "conversation", weight: 4, ask: conversation },
  { name: "embeddings", weight: 7, ask: embeddings },
  { name: "rerank", weight: 5, ask: rerank },
  { name: "classification", weight: 5, ask: classification },
  { name: "images", weight: 4, ask: images },
  { name: "images, keyed", weight: 3, ask: imagesKeyed },
  { name: "speech", weight: 5, ask: speech },
  { name: "transcription", weight: 4, ask: transcription },
  { name: "transcription stream", weight: 3, ask: transcriptionStream },
  { name: "live transcription", weight: 3, ask: liveTranscription },
  { name: "OCR", weight: 4, ask: ocr },
  { name: "OCR job", weight: 3, ask: ocrJob },
];

function told(
  { customer }: Asking,
  family: string,
  { ended, status, requestId, why }: Exchange,
  more: Partial<Told> = {},
): Told {
  return {
    family,
    customer,
    ended,
    status,
    requestId,
    why,
    attempts: 1,
    nameless: requestId === "" ? 1 : 0,
    keyed: false,
    tellsCost: "costNanoUsd" in more,
    ...more,
  };
}

function post(asking: Asking, path: string, body: object, more: Partial<Order> = {}) {
  const order = { key: asking.customer.key, body: JSON.stringify(body), ...more };
  return exchange(`${asking.edge()}${path}`, order);
}

const chatPath = "/v1/chat/completions";

function chatBody({ random, isFair }: Asking, more: object = {}): object {
  const tokens = random.whole(1, 60);
  const usage = `usage=${random.whole(1, 900)},${tokens}`;
  const slow = random.percent(15) ? `&delay_ms=${random.whole(50, 1_500)}` : "";
  return {
    model: isFair ? "test-small" : random.pick(chatAliases),
    messages: [{ role: "user", content: "x".repeat(random.whole(1, 400)) }],
    metadata: { simulate: `tokens=${tokens}&${usage}${slow}` },
    ...more,
  };
}

function streamBody(asking: Asking, more: object = {}): object {
  const { random } = asking;
  const pace = `chunks=${random.whole(2, 12)}&gap_ms=${random.whole(0, 200)}`;
  return chatBody(asking, { stream: true, metadata: { simulate: pace }, ...more });
}

async function chat(asking: Asking): Promise<Told[]> {
  const answer = await post(asking, chatPath, chatBody(asking));
  return [told(asking, "chat", answer, { costNanoUsd: costIn(answer) })];
}

async function chatStream(asking: Asking): Promise<Told[]> {
  const answer = await post(asking, chatPath, streamBody(asking));
  return [told(asking, "chat stream", answer, { costNanoUsd: costInStream(answer) })];
}

async function chatLeft(asking: Asking): Promise<Told[]> {
  const leaveAfterMs = asking.random.whole(1, 900);
  const metadata = { simulate: "chunks=20&gap_ms=100" };
  const answer = await post(asking, chatPath, streamBody(asking, { metadata }), { leaveAfterMs });
  return [told(asking, "chat stream, left", answer, { costNanoUsd: costInStream(answer) })];
}

async function keyed(asking: Asking, family: string, path: string, body: object) {
  const headers = { "idempotency-key": asking.uuid() };
  const { exchange: answer, ...tries } = await persist(
    () => post(asking, path, body, { headers }),
    keyedDeadlineMs,
  );
  return {
    answer,
    of: (more: Partial<Told>) => told(asking, family, answer, { ...more, ...tries, keyed: true }),
  };
}

async function chatKeyed(asking: Asking): Promise<Told[]> {
  const body = chatBody(asking, { model: asking.random.pick(["test-small", "test-failover"]) });
  const { answer, of } = await keyed(asking, "chat, keyed", chatPath, body);
  return [of({ costNanoUsd: costIn(answer) })];
}

async function chatStreamKeyed(asking: Asking): Promise<Told[]> {
  const body = streamBody(asking, { model: asking.random.pick(["test-small", "test-failover"]) });
  const { answer, of } = await keyed(asking, "chat stream, keyed", chatPath, body);
  return [of({ costNanoUsd: costInStream(answer) })];
}

/** Three turns, one after the other. */
async function conversation(asking: Asking): Promise<Told[]> {
  const sessionId = asking.uuid();
  const turns: Told[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const answer = await post(
      asking,
      chatPath,
      chatBody(asking, { model: "test-small", session_id: sessionId }),
    );
    turns.push(told(asking, "conversation", answer, { costNanoUsd: costIn(answer), sessionId }));
  }
  return turns;
}

async function embeddings(asking: Asking): Promise<Told[]> {
  const body = { model: "test-embed", input: "y".repeat(asking.random.whole(1, 4_000)) };
  const answer = await post(asking, "/v1/embeddings", body);
  const { usage } = jsonIn<{ usage?: { prompt_tokens: number } }>(answer);
  const owedNanoUsd = usage && upToMicro(BigInt(usage.prompt_tokens) * 20n);
  return [told(asking, "embeddings", answer, { owedNanoUsd })];
}

async function rerank(asking: Asking): Promise<Told[]> {
  const model = asking.random.percent(20) ? "test-rerank-bare" : "test-rerank";
  const answer = await post(asking, "/v1/rerank", { model, query: "q", documents: ["a", "b"] });
  return [told(asking, "rerank", answer, { owedNanoUsd: perSearch })];
}

async function classification(asking: Asking): Promise<Told[]> {
  const inputs = asking.random.whole(1, 5);
  const input = Array.from({ length: inputs }, () => "Ada met Bob");
  const body = { model: "test-entities", input, types: ["person"] };
  const answer = await post(asking, "/v1/classification", body);
  return [told(asking, "classification", answer, { owedNanoUsd: BigInt(inputs) * perSearch })];
}

const imagesPath = "/v1/images/generations";

function imagesBody({ random }: Asking): object {
  return { model: "test-image", prompt: "a cat", n: random.whole(1, 4) };
}

async function images(asking: Asking): Promise<Told[]> {
  const answer = await post(asking, imagesPath, imagesBody(asking));
  return [told(asking, "images", answer, { costNanoUsd: costIn(answer) })];
}

async function imagesKeyed(asking: Asking): Promise<Told[]> {
  const { answer, of } = await keyed(asking, "images, keyed", imagesPath, imagesBody(asking));
  return [of({ costNanoUsd: costIn(answer) })];
}

async function speech(asking: Asking): Promise<Told[]> {
  const { random, isFair } = asking;
  const characters = random.whole(1, 400);
  const fair = ["test-speech", "test-speech", "test-speech-paced"];
  const model = random.pick(isFair ? fair : [...fair, "test-speech-cut"]);
  const body = { model, input: "z".repeat(characters), voice: "alto" };
  const leaving = !isFair && random.percent(15) ? { leaveAfterMs: random.whole(1, 2_000) } : {};
  const answer = await post(asking, "/v1/audio/speech", body, leaving);
  return [told(asking, "speech", answer, { owedNanoUsd: BigInt(characters) * 15_000n })];
}

function upload(asking: Asking, path: string, { body, contentType }: Form): Promise<Exchange> {
  const headers = { "content-type": contentType };
  const order = { key: asking.customer.key, body, headers };
  return exchange(`${asking.edge()}${path}`, order);
}

const transcriptionsPath = "/v1/audio/transcriptions";

async function transcription(asking: Asking): Promise<Told[]> {
  const form = await transcriptionForm({ model: "test-hear-duration" }, 1);
  const answer = await upload(asking, transcriptionsPath, form);
  // The provider reports 12.3 seconds.
  return [told(asking, "transcription", answer, { owedNanoUsd: 13n * perSecond })];
}

async function transcriptionStream(asking: Asking): Promise<Told[]> {
  const seconds = asking.random.whole(1, 9);
  const form = await transcriptionForm({ model: "test-hear", stream: "true" }, seconds);
  const answer = await upload(asking, transcriptionsPath, form);
  const owedNanoUsd = BigInt(seconds) * perSecond;
  return [told(asking, "transcription stream", answer, { owedNanoUsd })];
}

async function liveTranscription(asking: Asking): Promise<Told[]> {
  const { customer, random } = asking;
  const seconds = random.whole(1, 6);
  const answer = await liveExchange(asking.edge(), customer.key, pcm(seconds));
  const owedNanoUsd = BigInt(seconds) * perSecond;
  return [told(asking, "live transcription", answer, { owedNanoUsd })];
}

async function ocr(asking: Asking): Promise<Told[]> {
  const form = await ocrForm({ model: "test-read-pages" });
  const answer = await upload(asking, "/v1/ocr", form);
  return [told(asking, "OCR", answer, { owedNanoUsd: 7n * perPage })];
}

/** A job is charged once, however often it is read after it was done. */
async function ocrJob(asking: Asking): Promise<Told[]> {
  const alias = "test-read-at-once";
  const made = await upload(asking, "/v1/ocr/jobs", await ocrForm({ model: alias }));
  const { job_id: jobId } = jsonIn<{ job_id?: string }>(made);
  if (made.ended !== "whole" || jobId === undefined) return [told(asking, "OCR job, made", made)];
  const { key } = asking.customer;
  const path = `/v1/ocr/jobs/${jobId}?model=${alias}`;
  const reads: Told[] = [told(asking, "OCR job, made", made)];
  const { exchange: answer } = await persist(
    () => exchange(`${asking.edge()}${path}`, { method: "GET", key }),
    keyedDeadlineMs,
  );
  await exchange(`${asking.edge()}${path}`, { method: "GET", key });
  const names = ["ocr-job", asking.customer.accountId, alias, `sim/${alias}`, jobId];
  const eventId = names.map(encodeURIComponent).join(":");
  reads.push(told(asking, "OCR job", answer, { owedNanoUsd: 12n * perPage, eventId }));
  return reads;
}

function jsonIn<T extends object>({ ended, text }: Exchange): Partial<T> {
  return ended === "whole" ? (JSON.parse(text) as T) : {};
}

function costIn(answer: Exchange): bigint | undefined {
  const { usage } = jsonIn<{ usage: { cost: number } }>(answer);
  return usage && nanoUsd(usage.cost);
}

function costInStream({ ended, text }: Exchange): bigint | undefined {
  if (ended !== "whole") return undefined;
  const costs = [...text.matchAll(/"cost":(\d+\.\d+)/g)];
  const last = costs.at(-1)?.[1];
  return last === undefined ? undefined : nanoUsd(Number(last));
}

function upToMicro(amount: bigint): bigint {
  return ((amount + 999n) / 1_000n) * 1_000n;
}
