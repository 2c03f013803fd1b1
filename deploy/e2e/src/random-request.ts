import { pcm, wav } from "./audio-files.ts";
import { imageFile, modelField, type OcrPart, pdf, rawOcrForm } from "./ocr-form.ts";
import { randomOf, type SeededRandom, uuidOf } from "./random.ts";
import { jsonBodies } from "./random-bodies.ts";
import { corrupt, mutate } from "./random-json.ts";

/** A request for any route, whose key the caller adds. */
export interface RandomRequest {
  method: "GET" | "POST" | "DELETE";
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/**
 * Returns request `index` of a run: a valid request to one of the routes, in which usually a few
 * places are changed. It does not depend on the other requests.
 */
export function randomRequest(seed: number, index: number): RandomRequest {
  const random = randomOf(seed, "request", index);
  const request = random.pick(generators)(random);
  if (random.percent(4)) request.path += random.pick(queries);
  if (random.percent(5)) request.headers["idempotency-key"] = `key-${random.integer(0, 5_000)}`;
  if (random.percent(1)) request.headers["idempotency-key"] = "k".repeat(random.integer(254, 300));
  return request;
}

const queries = ["?", "?limit=1", "?model=test-embed", "?id=1", "?__proto__=1", "?a[b]=1", "?%ff"];

function jsonRequest(random: SeededRandom): RandomRequest {
  const [path, original] = random.pick(jsonBodies);
  let body: unknown = "session_id" in original ? inSession(random, original) : original;
  for (let left = changes(random); left > 0; left -= 1) body = mutate(random, body);
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    method: "POST",
    path,
    headers: { "content-type": random.pick(jsonTypes) },
    body: random.percent(15) ? corrupt(random, bytes) : bytes,
  };
}

/** Most requests are refused, which is quick. */
function changes(random: SeededRandom): number {
  return random.percent(8) ? 0 : random.integer(1, 4);
}

const json = "application/json";
const jsonTypes = [...Array<string>(12).fill(json), "text/plain", `${json}; charset=utf-16`];

/** Few requests share a conversation, since these wait for each other. */
function inSession(random: SeededRandom, body: object): object {
  return { ...body, session_id: uuidOf(1, random.integer(0, 20_000)) };
}

const audio = { name: "file", contents: wav(0.1), type: "audio/wav" };
const rawAudio = { name: "file", contents: pcm(0.1), type: "audio/L16; rate=16000" };
const forms: readonly (readonly [path: string, parts: readonly OcrPart[]])[] = [
  [
    "/v1/audio/transcriptions",
    [audio, modelField("test-hear"), { name: "language", contents: "en" }],
  ],
  [
    "/v1/audio/transcriptions",
    [rawAudio, modelField("test-hear"), { name: "stream", contents: "true" }],
  ],
  ["/v1/ocr", [imageFile, modelField("test-read"), { name: "mode", contents: "print" }]],
  ["/v1/ocr", [imageFile, pdf(2), modelField("test-read"), { name: "diplomatic", contents: "t" }]],
  ["/v1/ocr/jobs", [imageFile, modelField("test-read"), { name: "language", contents: "de" }]],
];
const fieldNames = ["file", "model", "stream", "prompt", "mode", "", "__proto__", 'a"b', "x\r\ny"];

function formRequest(random: SeededRandom): RandomRequest {
  const [path, original] = random.pick(forms);
  let changed = original;
  for (let left = changes(random); left > 0; left -= 1) changed = mutateForm(random, changed);
  const { body, contentType } = rawOcrForm(changed);
  return {
    method: "POST",
    path,
    headers: { "content-type": random.percent(4) ? "multipart/form-data" : contentType },
    body: random.percent(25) ? corrupt(random, body) : body,
  };
}

function mutateForm(random: SeededRandom, original: readonly OcrPart[]): readonly OcrPart[] {
  const at = random.integer(0, Math.max(0, original.length - 1));
  const part = original[at] ?? imageFile;
  const chosen = random.integer(0, 5);
  if (chosen === 0) return original.toSpliced(at, 1);
  if (chosen === 1) return [...original, part];
  if (chosen === 2) return original.toSpliced(at, 1, { ...part, name: random.pick(fieldNames) });
  if (chosen === 3) return original.toSpliced(at, 1, { ...part, contents: "" });
  if (chosen === 4) return [...original, { name: random.pick(fieldNames), contents: "true" }];
  return original.toSpliced(at, 1, {
    ...part,
    contents: corrupt(random, Buffer.from(part.contents)),
  });
}

const reads: readonly (readonly [method: RandomRequest["method"], path: string])[] = [
  ["GET", "/v1/models"],
  ["GET", "/v1/models/test-small"],
  ["GET", "/v1/credits"],
  ["GET", "/v1/health"],
  ["GET", "/v1/conversations?limit=2&offset=1"],
  ["GET", `/v1/conversations/${uuidOf(1, 7)}`],
  ["DELETE", `/v1/conversations/${uuidOf(1, 8)}`],
  ["GET", "/v1/audio/voices?model=test-speech"],
  ["GET", "/v1/ocr/jobs/job-1?model=test-read"],
  ["GET", "/v1/audio/transcriptions/stream"],
  ["GET", "/v1/nothing"],
];
const characters = ["%00", "%2f", "..", "%", "%ff", "?", "&", "=", "a", "0", "-1", "/", "~", "😀"];

/** A request whose path is changed instead of its body. */
function readRequest(random: SeededRandom): RandomRequest {
  const [method, original] = random.pick(reads);
  let path = original;
  for (let left = random.integer(0, 2); left > 0; left -= 1) {
    const at = random.integer(1, path.length);
    const inserted = encodeURI(random.pick(characters));
    path = path.slice(0, at) + inserted + path.slice(at + random.integer(0, 2));
  }
  return { method, path, headers: {}, body: undefined };
}

const generators = [
  ...Array<typeof jsonRequest>(15).fill(jsonRequest),
  ...Array<typeof formRequest>(4).fill(formRequest),
  readRequest,
];

/** Returns the frames that a client of a live transcription sends: bytes are sent as binary. */
export function randomFrames(seed: number, index: number): (string | Buffer)[] {
  const random = randomOf(seed, "frames", index);
  let configuration: unknown = { model: "test-hear", format: "pcm_s16le", sample_rate: 16_000 };
  if (random.percent(60)) configuration = mutate(random, configuration);
  const first = Buffer.from(JSON.stringify(configuration));
  const frames: Buffer[] = [random.percent(20) ? corrupt(random, first) : first];
  if (random.percent(10)) frames.shift();
  const others = [pcm(0.1), pcm(0.1).subarray(1), Buffer.from('{"action":"flush"}'), first];
  for (let left = random.integer(0, 3); left > 0; left -= 1) frames.push(random.pick(others));
  return frames.map((frame) => (random.percent(50) ? frame : String(frame)));
}
