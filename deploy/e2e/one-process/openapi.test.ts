import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createDocument } from "@tollgate/edge/openapi/document";
import { routes } from "@tollgate/edge/routes";
import { type Simulator, startSimulator } from "@tollgate/simulator/simulator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { pcm, wav } from "../src/audio-files.ts";
import { expectValid } from "../src/conformance.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { eventsOf, expectEnvelope, send } from "../src/request.ts";
import { type OwnStack, startStack, type TestAccount } from "../src/stack.ts";

const demoCatalog = fileURLToPath(import.meta.resolve("@tollgate/simulator/demo-catalog.yaml"));

/** Here as everywhere, `send` checks every response against the document. */
describe("the OpenAPI document and the gateway", () => {
  const document = createDocument(routes);
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  let simulator: Simulator;
  let stack: OwnStack;
  let account: TestAccount;

  beforeAll(async () => {
    simulator = await startSimulator({ port: 0 });
    stack = await startStack({
      TOLLGATE_CATALOG: demoCatalog,
      TOLLGATE_SIMULATOR_URL: `${simulator.url}/v1`,
    });
    account = await stack.newAccount(10);
  });

  afterAll(async () => {
    await stack.stop();
    await simulator.close();
  });

  function request(path: string, body?: unknown, method?: string): Promise<HttpResponse> {
    const how = method === undefined ? {} : { method };
    return send(`${stack.url}${path}`, { key: account.key, body, ...how });
  }

  async function upload(path: string, fields: Record<string, string>, file: Buffer, type: string) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append("file", new Blob([new Uint8Array(file)], { type }), "a.bin");
    const encoded = new Response(form);
    const headers = { "content-type": encoded.headers.get("content-type") ?? "" };
    const body = new Uint8Array(await encoded.arrayBuffer());
    return send(`${stack.url}${path}`, { key: account.key, body, headers });
  }

  function exampleOf(operationId: string) {
    const place = operations.find(({ operation }) => operation.operationId === operationId);
    const body = place?.operation.requestBody?.content["application/json"]?.example;
    expect(body).toBeDefined();
    return { path: place?.path ?? "", body: body as object };
  }

  /** Returns the sorted members of the example of a JSON response; undefined where there is none. */
  function responseExampleOf(operationId: string): string[] | undefined {
    const place = operations.find(({ operation }) => operation.operationId === operationId);
    const examples = Object.entries(place?.operation.responses ?? {})
      .filter(([status]) => status.startsWith("2"))
      .map(([, { content }]) => content?.["application/json"]?.example);
    return examples[0] === undefined ? undefined : Object.keys(Object(examples[0])).sort();
  }

  function requestExample(operationId: string, more: object = {}): Promise<HttpResponse> {
    const { path, body } = exampleOf(operationId);
    return request(path, { ...body, ...more });
  }

  const sessionId = randomUUID();
  const startSession = () => requestExample("createChatCompletion", { session_id: sessionId });
  const page = Buffer.from("\u0089PNG");
  const createJob = () => upload("/v1/ocr/jobs", { model: "demo-ocr" }, page, "image/png");

  /** One call of each HTTP operation, with the document's example. */
  const calls: Record<string, () => Promise<HttpResponse>> = {
    createChatCompletion: () => requestExample("createChatCompletion"),
    createMessage: () => requestExample("createMessage"),
    countMessageTokens: () => requestExample("countMessageTokens"),
    createResponse: () => requestExample("createResponse"),
    createEmbeddings: () => requestExample("createEmbeddings"),
    rerank: () => requestExample("rerank"),
    classify: () => requestExample("classify"),
    generateImages: () => requestExample("generateImages"),
    createSpeech: () => requestExample("createSpeech"),
    listVoices: () => request("/v1/audio/voices?model=demo-speech"),
    createTranscription: () =>
      upload("/v1/audio/transcriptions", { model: "demo-transcribe" }, wav(1), "audio/wav"),
    readDocument: () => upload("/v1/ocr", { model: "demo-ocr" }, page, "image/png"),
    createOcrJob: createJob,
    async readOcrJob() {
      const { job_id } = (await createJob()).body as { job_id: string };
      return request(`/v1/ocr/jobs/${job_id}?model=demo-ocr`);
    },
    async listConversations() {
      await startSession();
      return request("/v1/conversations?limit=1");
    },
    async getConversation() {
      await startSession();
      return request(`/v1/conversations/${sessionId}`);
    },
    deleteConversation: () => request(`/v1/conversations/${sessionId}`, undefined, "DELETE"),
    deleteConversations: () => request("/v1/conversations", undefined, "DELETE"),
    listModels: () => send(`${stack.url}/v1/models`),
    getModel: () => send(`${stack.url}/v1/models/demo-small`),
    getCredits: () => request("/v1/credits"),
    async lookUpSettlement() {
      const { path, body } = exampleOf("lookUpSettlement");
      const channel = { account: account.accountId, channel: "settlement" };
      const { key } = await stack.operator.createKey(channel);
      return send(`${stack.url}${path}`, { key, body });
    },
    getHealth: () => send(`${stack.url}/v1/health`),
    getRoot: () => send(`${stack.url}/`),
    getOpenApi: () => send(`${stack.url}/openapi.json`),
    getDocs: () => send(`${stack.url}/docs`),
    getDocsFile: () => send(`${stack.url}/docs/standalone.esm.js`),
  };

  test.each(
    Object.entries(calls),
  )("%s succeeds with its example, and the example of its response has the same members", async (operationId, call) => {
    const { status, text, body } = await call();
    expect([status, text]).toEqual([expect.toSatisfy((code: number) => code < 300), text]);
    const example = responseExampleOf(operationId);
    if (example !== undefined) expect(Object.keys(Object(body)).sort()).toEqual(example);
  });

  test("every operation is called", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect([...Object.keys(calls), "streamTranscription"].sort()).toEqual(ids.sort());
  });

  /** Returns the example of an error of an operation. */
  function errorExample(operationId: string, status: number, name: string): unknown {
    const place = operations.find(({ operation }) => operation.operationId === operationId);
    const media = place?.operation.responses[status]?.content?.["application/json"];
    const component = String(media?.examples?.[name]?.$ref).split("/").at(-1) ?? "";
    return document.components.examples[component]?.value;
  }

  /** Checks that a response is the example of its operation and code, but for the request's id. */
  function expectExample(operationId: string, response: HttpResponse, name: string): void {
    const example = errorExample(operationId, response.status, name) as object;
    const { request_id } = response.body as { request_id?: string };
    const ofRequest = request_id === undefined ? {} : { request_id };
    expect(response.body, operationId).toEqual({ ...example, ...ofRequest });
  }

  test("the gateway sends the errors of the examples", async () => {
    const empty = await stack.newAccount(0);
    const wrong = "sk-tollgate-unknown";
    const sent = async (operationId: string, name: string, more: object, key = account.key) => {
      const { path, body } = exampleOf(operationId);
      const response = await send(`${stack.url}${path}`, { key, body: { ...body, ...more } });
      expectExample(operationId, response, name);
      return response.status;
    };
    for (const [operationId, form] of [
      ["createChatCompletion", ""],
      ["createMessage", "MessagesError."],
      ["createResponse", ""],
      ["createEmbeddings", ""],
    ] as const) {
      const statuses = [
        await sent(operationId, `${form}invalid_api_key`, {}, wrong),
        await sent(operationId, `${form}credit_balance_exhausted`, {}, empty.key),
        await sent(operationId, `${form}model_not_found`, { model: "demo-other" }),
        await sent(operationId, `${form}invalid_param`, { model: undefined }),
        await sent(operationId, `${form}unknown_param`, { colour: "red" }),
      ];
      expect(statuses, operationId).toEqual([401, 402, 404, 400, 400]);
    }
    const { key } = await stack.operator.createKey({
      account: account.accountId,
      channel: "settlement",
    });
    for (const [operationId, path, sender] of [
      ["readDocument", "/v1/ocr", account.key],
      ["createEmbeddings", "/v1/embeddings", account.key],
      ["lookUpSettlement", "/v1/hf/billing", key],
    ] as const) {
      const options = { key: sender, body: "", method: "POST" };
      expectExample(operationId, await send(`${stack.url}${path}`, options), "invalid_json");
    }
    await sent("lookUpSettlement", "channel_key_required", {});
    await sent("lookUpSettlement", "invalid_param", { requestIds: 1 }, key);
    const gets: [string, number, string, string][] = [
      ["getModel", 404, "model_not_found", "/v1/models/demo-other"],
      ["listConversations", 400, "invalid_param", "/v1/conversations?limit=1&limit=2"],
      ["getConversation", 404, "conversation_not_found", `/v1/conversations/${randomUUID()}`],
      ["listVoices", 400, "invalid_param", "/v1/audio/voices"],
      ["readOcrJob", 404, "not_found", "/v1/ocr/jobs/other?model=demo-ocr"],
      ["streamTranscription", 400, "invalid_param", "/v1/audio/transcriptions/stream"],
      ["getDocsFile", 404, "not_found", "/docs/standalone.js"],
    ];
    for (const [operationId, status, name, path] of gets) {
      const response = await request(path);
      expect(response.status, path).toBe(status);
      expectExample(operationId, response, name);
    }
  });

  test("event streams match their schema", async () => {
    const chat = await requestExample("createChatCompletion", { stream: true });
    expect(eventsOf(chat.text).at(-1)).toBe("[DONE]");
    const message = await requestExample("createMessage", { stream: true });
    expect(eventsOf(message.text).at(-1)).toEqual({ type: "message_stop" });
    const response = await requestExample("createResponse", { stream: true });
    expect(eventsOf(response.text).at(-1)).toMatchObject({ type: "response.completed" });
    const fields = { model: "demo-transcribe", stream: "true" };
    const received = await upload("/v1/audio/transcriptions", fields, wav(1), "audio/wav");
    expect(eventsOf(received.text).at(-1)).toBe("[DONE]");
    expect(eventsOf(received.text).length).toBeGreaterThan(1);
  });

  test("a replayed response matches its schema", async () => {
    const { path, body } = exampleOf("createEmbeddings");
    const headers = { "idempotency-key": randomUUID() };
    const options = { key: account.key, body, headers };
    const first = await send(`${stack.url}${path}`, options);
    const again = await send(`${stack.url}${path}`, options);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.text).toBe(first.text);
  });

  const frames = "/paths/~1v1~1audio~1transcriptions~1stream/get/x-websocket";

  /** Sends a configuration and a second of audio, and resolves with the received frames. */
  async function transcribeLive(config: object): Promise<unknown[]> {
    const url = `${stack.url.replace("http", "ws")}/v1/audio/transcriptions/stream`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${account.key}` } });
    const received: unknown[] = [];
    socket.on("message", (data) => received.push(JSON.parse(String(data))));
    await once(socket, "open");
    const flush = { action: "flush" };
    expectValid(`${frames}/client/2/schema`, flush, "the flush");
    socket.send(JSON.stringify(config));
    socket.send(pcm(1));
    socket.send(JSON.stringify(flush));
    await once(socket, "close");
    return received;
  }

  test("the WebSocket's frames match their schemas", async () => {
    const config = { model: "demo-transcribe", format: "pcm_s16le", sample_rate: 16_000 };
    expectValid(`${frames}/client/0/schema`, config, "the configuration");
    const events = await transcribeLive(config);
    expect(events.length).toBeGreaterThan(0);
    for (const event of events) expectValid(`${frames}/server/0/schema`, event, "an event");
    const [failure] = await transcribeLive({ ...config, format: "mp3" });
    expect(failure).toMatchObject({ error: { code: "unsupported_audio_format" } });
    expectValid(`${frames}/server/1/schema`, failure, "a failure");
  });

  test("is served unchanged, and takes no query", async () => {
    const { body, headers } = await send(`${stack.url}/openapi.json`);
    expect(body).toEqual(JSON.parse(JSON.stringify(document)));
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    const refused = await send(`${stack.url}/openapi.json?x=1`);
    expectEnvelope(refused, 400, "unknown_param", "x");
    const head = await send(`${stack.url}/openapi.json`, { method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
  });

  test("the page may load and contact its own origin only", async () => {
    const { headers } = await send(`${stack.url}/docs`);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).not.toMatch(/https?:|\*/);
  });

  test("a file that the page does not have is a 404", async () => {
    expectEnvelope(await send(`${stack.url}/docs/standalone.js`), 404, "not_found");
  });
});
