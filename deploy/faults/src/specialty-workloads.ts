import { hash } from "node:crypto";
import { pcm } from "@tollgate/e2e/audio-files";
import type { Observation } from "./observation.ts";
import { retryUntilFinal, sendRequest } from "./send-request.ts";
import { transcribeLive } from "./transcribe-live.ts";
import { ocrUpload, transcriptionUpload } from "./uploads.ts";
import {
  costIn,
  jsonIn,
  observe,
  postKeyed,
  retryDeadlineMs,
  sendJsonRequest,
  upload,
  type WorkloadContext,
} from "./workload.ts";

/** The test catalog's prices, in nano-USD. */
const perInputToken = 20n;
const perSearch = 2_000_000n;
const perCharacter = 15_000n;
const perSecond = 100_000n;
const perPage = 1_500_000n;

const imagesPath = "/v1/images/generations";
const transcriptionsPath = "/v1/audio/transcriptions";

export async function embeddingsWorkload(context: WorkloadContext): Promise<Observation[]> {
  const body = { model: "test-embed", input: "y".repeat(context.random.integer(1, 4_000)) };
  const result = await sendJsonRequest(context, "/v1/embeddings", body);
  const { usage } = jsonIn<{ usage?: { prompt_tokens: number } }>(result);
  const expectedNanoUsd = usage && roundUpToMicro(BigInt(usage.prompt_tokens) * perInputToken);
  return [observe(context, "embeddings", result, { expectedNanoUsd })];
}

export async function rerankWorkload(context: WorkloadContext): Promise<Observation[]> {
  const model = context.random.percent(20) ? "test-rerank-bare" : "test-rerank";
  const body = { model, query: "q", documents: ["a", "b"] };
  const result = await sendJsonRequest(context, "/v1/rerank", body);
  return [observe(context, "rerank", result, { expectedNanoUsd: perSearch })];
}

export async function classificationWorkload(context: WorkloadContext): Promise<Observation[]> {
  const inputs = context.random.integer(1, 5);
  const input = Array.from({ length: inputs }, () => "Ada met Bob");
  const body = { model: "test-entities", input, types: ["person"] };
  const result = await sendJsonRequest(context, "/v1/classification", body);
  const expectedNanoUsd = BigInt(inputs) * perSearch;
  return [observe(context, "classification", result, { expectedNanoUsd })];
}

export async function imagesWorkload(context: WorkloadContext): Promise<Observation[]> {
  const result = await sendJsonRequest(context, imagesPath, imagesBody(context));
  return [observe(context, "images", result, { costNanoUsd: costIn(result) })];
}

export async function imagesKeyed(context: WorkloadContext): Promise<Observation[]> {
  return [await postKeyed(context, "images, keyed", imagesPath, imagesBody(context), costIn)];
}

export async function speechWorkload(context: WorkloadContext): Promise<Observation[]> {
  const { random, isFaultFree } = context;
  const characters = random.integer(1, 400);
  const working = ["test-speech", "test-speech", "test-speech-paced"];
  const model = random.pick(isFaultFree ? working : [...working, "test-speech-cut"]);
  const body = { model, input: "z".repeat(characters), voice: "alto" };
  const disconnect =
    !isFaultFree && random.percent(15) ? { disconnectAfterMs: random.integer(1, 2_000) } : {};
  const result = await sendJsonRequest(context, "/v1/audio/speech", body, disconnect);
  return [
    observe(context, "speech", result, { expectedNanoUsd: BigInt(characters) * perCharacter }),
  ];
}

export async function transcription(context: WorkloadContext): Promise<Observation[]> {
  const form = await transcriptionUpload({ model: "test-hear-duration" }, 1);
  const result = await upload(context, transcriptionsPath, form);
  // The provider reports 12.3 seconds, which are billed as 13.
  return [observe(context, "transcription", result, { expectedNanoUsd: 13n * perSecond })];
}

export async function transcriptionStream(context: WorkloadContext): Promise<Observation[]> {
  const seconds = context.random.integer(1, 9);
  const form = await transcriptionUpload({ model: "test-hear", stream: "true" }, seconds);
  const result = await upload(context, transcriptionsPath, form);
  const expectedNanoUsd = BigInt(seconds) * perSecond;
  return [observe(context, "transcription stream", result, { expectedNanoUsd })];
}

export async function liveTranscription(context: WorkloadContext): Promise<Observation[]> {
  const { customer, random } = context;
  const seconds = random.integer(1, 6);
  const result = await transcribeLive(context.edge(), customer.key, pcm(seconds));
  const expectedNanoUsd = BigInt(seconds) * perSecond;
  return [observe(context, "live transcription", result, { expectedNanoUsd })];
}

export async function ocrWorkload(context: WorkloadContext): Promise<Observation[]> {
  const form = await ocrUpload({ model: "test-read-pages" });
  const result = await upload(context, "/v1/ocr", form);
  return [observe(context, "OCR", result, { expectedNanoUsd: 7n * perPage })];
}

/** Reads the finished job twice: it is charged once. */
export async function ocrJobWorkload(context: WorkloadContext): Promise<Observation[]> {
  const alias = "test-read-at-once";
  const created = await upload(context, "/v1/ocr/jobs", await ocrUpload({ model: alias }));
  const creation = observe(context, "OCR job creation", created);
  const { job_id: jobId } = jsonIn<{ job_id?: string }>(created);
  if (created.outcome !== "complete" || jobId === undefined) return [creation];
  const { key, accountId } = context.customer;
  const path = `/v1/ocr/jobs/${jobId}?model=${alias}`;
  const read = () => sendRequest(`${context.edge()}${path}`, { method: "GET", key });
  const { result } = await retryUntilFinal(read, retryDeadlineMs);
  await read();
  const parts = [accountId, alias, `sim/${alias}`, jobId];
  const eventId = `ocr-job:${hash("sha256", JSON.stringify(parts))}`;
  const more = { expectedNanoUsd: 12n * perPage, eventId };
  return [creation, observe(context, "OCR job", result, more)];
}

function imagesBody({ random }: WorkloadContext): object {
  return { model: "test-image", prompt: "a cat", n: random.integer(1, 4) };
}

/** Rounds nano-USD up to a whole micro-USD. */
function roundUpToMicro(amount: bigint): bigint {
  return ((amount + 999n) / 1_000n) * 1_000n;
}
