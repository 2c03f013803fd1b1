import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../simulator.ts";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ port: 0 });
});

afterAll(() => simulator.close());

const dataUrl = (type: string, contents: string) =>
  `data:${type};base64,${Buffer.from(contents).toString("base64")}`;

const pdf = dataUrl("application/pdf", "%PDF-1.4 <</Type /Page>> <</Type /Page>>");
/** The requests of https://docs.mistral.ai/api/endpoint/ocr and /batch. */
const ocr = {
  model: "mistral-ocr-latest",
  document: { type: "document_url", document_url: pdf },
};
const batch = {
  endpoint: "/v1/ocr",
  model: "mistral-ocr-latest?running=1",
  requests: [{ custom_id: "0", body: { document: ocr.document } }],
};

async function request(path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${simulator.url}/mistral/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: "Bearer key", "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) };
}

describe("Mistral's OCR", () => {
  test("reads a PDF and an image", async () => {
    expect((await request("/ocr", ocr)).body).toMatchObject({
      pages: [{ index: 0, markdown: "# Page 0", images: [] }, { index: 1 }],
      model: "mistral-ocr-latest",
      usage_info: { pages_processed: 2, doc_size_bytes: 40 },
    });
    const image = { type: "image_url", image_url: dataUrl("image/png", "PNG") };
    const { body } = await request("/ocr", {
      ...ocr,
      document: image,
      include_image_base64: true,
      table_format: "html",
    });
    expect(body).toMatchObject({ usage_info: { pages_processed: 1, doc_size_bytes: 3 } });
  });

  test.each([
    ["a member that it does not know", { ...ocr, language: "de" }],
    ["no document", { model: "mistral-ocr-latest" }],
    ["a member in a document", { ...ocr, document: { ...ocr.document, name: "a" } }],
    ["a path", { ...ocr, document: { type: "document_url", document_url: "/a.pdf" } }],
    [
      "an image as a document",
      { ...ocr, document: { type: "document_url", document_url: dataUrl("image/png", "a") } },
    ],
    [
      "a type that it cannot read",
      { ...ocr, document: { type: "image_url", image_url: dataUrl("image/svg+xml", "a") } },
    ],
    [
      "broken base64",
      { ...ocr, document: { type: "image_url", image_url: "data:image/png;base64,abc" } },
    ],
    ["nothing", { ...ocr, document: { type: "image_url", image_url: "data:image/png;base64," } }],
  ])("refuses %s", async (_, body) => {
    expect((await request("/ocr", body)).status).toBe(422);
  });

  test("refuses a PDF that is none, a form, and a request without a key", async () => {
    const none = { type: "document_url", document_url: dataUrl("application/pdf", "text") };
    expect((await request("/ocr", { ...ocr, document: none })).status).toBe(400);
    const form = { "content-type": "multipart/form-data; boundary=a" };
    expect((await request("/ocr", ocr, form)).status).toBe(422);
    expect((await request("/ocr", ocr, { authorization: "" })).status).toBe(401);
  });
});

describe("Mistral's batch jobs", () => {
  test("are queued, then run, and have their results inline or in a file", async () => {
    const created = await request("/batch/jobs", batch);
    expect(created.body).toMatchObject({
      object: "batch",
      status: "QUEUED",
      total_requests: 1,
      output_file: null,
    });
    const { id } = created.body;
    expect((await request(`/batch/jobs/${id}`)).body).toMatchObject({ status: "RUNNING" });
    const { body: done } = await request(`/batch/jobs/${id}`);
    expect(done).toMatchObject({ status: "SUCCESS", succeeded_requests: 1, outputs: null });
    const { text } = await request(`/files/${done.output_file}/content`);
    const output = JSON.parse(text);
    expect(output).toMatchObject({
      custom_id: "0",
      response: { status_code: 200, body: { usage_info: { pages_processed: 2 } } },
      error: null,
    });
    expect(text).toBe(`${JSON.stringify(output)}\n`);
    const inline = await request(`/batch/jobs/${id}?inline=true`);
    expect(inline.body).toMatchObject({ outputs: [output] });
  });

  test("end as they are commanded", async () => {
    const ended = async (commands: string) => {
      const model = `mistral-ocr-latest?running=0&${commands}`;
      const { body } = await request("/batch/jobs", { ...batch, model });
      return (await request(`/batch/jobs/${body.id}?inline=true`)).body;
    };
    expect(await ended("job_status=FAILED")).toMatchObject({
      status: "FAILED",
      output_file: null,
      failed_requests: 1,
    });
    expect(await ended("request_status=422")).toMatchObject({
      status: "SUCCESS",
      output_file: null,
      error_file: expect.any(String),
      outputs: [{ response: { status_code: 422, body: { object: "error" } } }],
    });
  });

  test.each([
    ["a member that they do not know", { ...batch, purpose: "batch" }],
    ["another endpoint", { ...batch, endpoint: "/v1/other" }],
    ["no requests", { ...batch, requests: [] }],
    [
      "a member of a request's body",
      { ...batch, requests: [{ custom_id: "0", body: { document: ocr.document, lang: "de" } }] },
    ],
  ])("refuse %s", async (_, body) => {
    expect((await request("/batch/jobs", body)).status).toBe(422);
  });

  test("are unknown by another id", async () => {
    const id = "7c3e6e0a-9a3b-4f6f-8f0e-4e4b7a0c5b11";
    expect((await request(`/batch/jobs/${id}`)).status).toBe(404);
    expect((await request(`/files/${id}/content`)).status).toBe(404);
  });
});
