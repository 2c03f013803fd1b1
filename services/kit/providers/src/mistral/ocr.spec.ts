import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { Slot } from "@tollgate/catalog/model";
import { parseCatalog } from "@tollgate/catalog/parse";
import type { JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import { createProviderClient } from "@tollgate/upstream/provider-client";
import { expect, onTestFinished, test } from "vitest";
import { rejectionReason, respondWithJson } from "../../test/provider-of-kind.ts";
import { vendors } from "../index.ts";
import type { OcrUpload } from "../ocr-adapter.ts";
import { mistralOcr } from "./ocr.ts";

const call = { requestId: "req_1", signal: new AbortController().signal };

/** Starts a provider that responds to each path, and a slot of it. */
async function startMistral(responses: Record<string, (res: ServerResponse) => void>, more = {}) {
  const sent: { url: string; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const url = request.url ?? "";
    sent.push({ url, body: text === "" ? undefined : JSON.parse(text) });
    const respond =
      responses[url] ?? ((res) => respondWithJson(res, 404, { message: "Not found" }));
    respond(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const providers = createProviderClient({ KEY: "secret" });
  onTestFinished(async () => {
    await providers.close();
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const slot = slotAt(`http://127.0.0.1:${port}/v1`, more);
  return {
    sent,
    read: () => mistralOcr.read(providers, slot, uploadOf("a,b"), call),
    createJob: () => mistralOcr.createJob(providers, slot, uploadOf("a,b"), call),
    readJob: (id: string) => mistralOcr.readJob(providers, slot, id, call.signal),
  };
}

function slotAt(base_url: string, more: object): Slot {
  const providers = { p: { kind: "mistral", base_url, api_key_env: "KEY", timeout_seconds: 5 } };
  const chain = [{ provider: "p", model: "mistral-ocr-latest", ...more }];
  const pricing = { per: 1_000, price: "2" };
  const models = [{ alias: "a", route_type: "ocr", lane: "print", pricing, chain }];
  const { models: parsed } = parseCatalog(JSON.stringify({ providers, models }), vendors);
  return parsed.get("a")?.chain[0] as Slot;
}

function uploadOf(text: string): OcrUpload {
  const contents = Buffer.from(text);
  const file = { head: contents, isPdf: true, bytes: contents.length, contentType: "a/b" };
  const read = () => Readable.from([contents]);
  const form = { contentType: "", bytes: 0, diplomatic: "", language: "", read };
  return { ...form, files: [{ ...file, read }] };
}

const document = { type: "document_url", document_url: "data:application/pdf;base64,YSxi" };

/** The response of https://docs.mistral.ai/studio-api/document-processing/basic_ocr, shortened. */
const page = {
  index: 0,
  markdown: "# Leveraging Unlabeled Data to Predict Out-of-Distribution Performance",
  images: [],
  tables: [],
  hyperlinks: ["https://github.com/saurabhgarg1996/ATC_code"],
  header: null,
  footer: null,
  dimensions: { dpi: 200, height: 2200, width: 1700 },
};
const ocrResponse = {
  pages: [page],
  model: "mistral-ocr-2512",
  document_annotation: null,
  usage_info: { pages_processed: 29, doc_size_bytes: 3_002_783 },
};

const id = "a6054116-5f0e-4f0a-9d4b-2f3c8f1f1f10";
const file = "0a0c3e6e-9a3b-4f6f-8f0e-4e4b7a0c5b11";
/** A job in the form of https://docs.mistral.ai/api/endpoint/batch. */
const job = {
  id,
  object: "batch",
  input_files: [],
  metadata: null,
  endpoint: "/v1/ocr",
  model: "mistral-ocr-latest",
  agent_id: null,
  output_file: null,
  error_file: null,
  errors: [],
  outputs: null,
  status: "QUEUED",
  created_at: 1_757_403_400,
  total_requests: 1,
  completed_requests: 0,
  succeeded_requests: 0,
  failed_requests: 0,
  started_at: null,
  completed_at: null,
};
/** A line of the results in https://docs.mistral.ai/studio-api/batch-processing. */
const output = {
  id: "batch-a6054116-1-d32adde3-3484-4008-ba51-2e2b9e52f420",
  custom_id: "0",
  response: { status_code: 200, body: ocrResponse },
  error: null,
};
const jobUrl = `/v1/batch/jobs/${id}?inline=true`;
const done = { ...job, status: "SUCCESS", output_file: file, completed_requests: 1 };

const json =
  (value: object, status = 200) =>
  (res: ServerResponse) =>
    respondWithJson(res, status, value);

function lines(value: object) {
  return (res: ServerResponse) => {
    res.writeHead(200, { "content-type": "application/octet-stream" });
    res.end(`${JSON.stringify(value)}\n`);
  };
}

test("a document is sent as a data URL, and the response comes byte for byte", async () => {
  const text = JSON.stringify(ocrResponse, null, 2);
  const { sent, read } = await startMistral({ "/v1/ocr": (res) => res.end(text) });
  const { status, bytes, value } = await read();
  expect(sent).toEqual([{ url: "/v1/ocr", body: { model: "mistral-ocr-latest", document } }]);
  expect([status, Buffer.from(bytes).toString(), value]).toEqual([200, text, ocrResponse]);
});

test.each<[string, JsonObject]>([
  ["no pages", { model: "mistral-ocr-2512" }],
  ["an error", { error: { message: "no" }, pages: [] }],
])("a response with %s is a failure of the slot", async (_, value) => {
  const { read } = await startMistral({ "/v1/ocr": json(value) });
  await expect(read()).rejects.toThrow(SlotFailure);
});

test.each([
  [{}, "/v1/batch/jobs"],
  [{ jobs_path: "/batch/own" }, "/v1/batch/own"],
])("a job is a batch of one request: %j", async (more, url) => {
  const { sent, createJob } = await startMistral({ [url]: json(job) }, more);
  const { status, value } = await createJob();
  expect([status, value]).toEqual([202, { job_id: id, status: "queued" }]);
  const requests = [{ custom_id: "0", body: { document } }];
  expect(sent).toEqual([
    { url, body: { endpoint: "/v1/ocr", model: "mistral-ocr-latest", requests } },
  ]);
});

test.each([
  ["QUEUED", "queued"],
  ["RUNNING", "running"],
  ["CANCELLATION_REQUESTED", "running"],
  ["A_NEW_STATE", "running"],
])("a job that is %s is %s", async (given, status) => {
  const { readJob } = await startMistral({ [jobUrl]: json({ ...job, status: given }) });
  expect((await readJob(id)).value).toEqual({ job_id: id, status });
});

test.each([
  ["within the job", { ...done, outputs: [output] }, 1],
  ["within the job, without a file", { ...done, outputs: [output], output_file: null }, 1],
  ["in a file", done, 2],
  ["in a file, beside an empty list", { ...done, outputs: [] }, 2],
])("a job that has succeeded has the result %s", async (_, value, calls) => {
  const { sent, readJob } = await startMistral({
    [jobUrl]: json(value),
    [`/v1/files/${file}/content`]: lines(output),
  });
  const read = await readJob(id);
  expect(read.value).toEqual({ job_id: id, status: "completed", ...ocrResponse });
  expect(JSON.parse(Buffer.from(read.bytes).toString())).toEqual(read.value);
  expect(sent).toHaveLength(calls);
});

/** Errors of Mistral's API: https://docs.mistral.ai/api */
const refused = { object: "error", message: { detail: [{ msg: "no pages" }] }, code: "3051" };
const failed = (status_code: number, body: object) => ({ response: { status_code, body } });

test.each<[JsonObject, string, string]>([
  [{ status: "FAILED" }, "failed", "The provider's job is FAILED."],
  [{ status: "TIMEOUT_EXCEEDED" }, "failed", "The provider's job is TIMEOUT_EXCEEDED."],
  [{ status: "CANCELLED" }, "cancelled", "The provider's job is CANCELLED."],
  [{ error_file: file }, "failed", "The provider's job has no result."],
  [
    { outputs: [{ response: null, error: { message: "x" } }] },
    "failed",
    "The provider's job has no result.",
  ],
  [
    { outputs: [failed(422, refused)] },
    "failed",
    "The provider's job ended with 422. It said: no pages",
  ],
  [
    { outputs: [failed(422, { message: "no pages for secret" })] },
    "failed",
    "The provider's job ended with 422. It said: no pages for [key]",
  ],
  [
    { outputs: [failed(429, { message: "Your account is over its limit" })] },
    "failed",
    "The provider's job ended with 429.",
  ],
])("a job without a document that was read has failed: %j", async (more, status, message) => {
  const value = { ...job, status: "SUCCESS", ...more };
  const { readJob } = await startMistral({ [jobUrl]: json(value) });
  expect((await readJob(id)).value).toEqual({ job_id: id, status, error: { message } });
});

test("a job whose state is not known has succeeded if it has results", async () => {
  const value = { ...done, status: "A_NEW_STATE", outputs: [output] };
  const { readJob } = await startMistral({ [jobUrl]: json(value) });
  expect((await readJob(id)).value).toMatchObject({ status: "completed", pages: [page] });
});

test("a job whose state or results cannot be read now has not failed", async () => {
  const limited = json({ object: "error", message: "Requests rate limit exceeded" }, 429);
  const job_ = await startMistral({ [jobUrl]: limited });
  expect(await rejectionReason(job_.readJob(id))).toMatchObject({ status: 429 });
  const results = { [jobUrl]: json(done), [`/v1/files/${file}/content`]: json({}, 503) };
  const { readJob } = await startMistral(results);
  expect(await rejectionReason(readJob(id))).toMatchObject({ status: 503 });
});

test("a result that is no response of OCR is a failure of the slot", async () => {
  const { readJob } = await startMistral({
    [jobUrl]: json({ ...done, outputs: [failed(200, { model: "mistral-ocr-2512" })] }),
  });
  await expect(readJob(id)).rejects.toThrow("has no pages");
});
