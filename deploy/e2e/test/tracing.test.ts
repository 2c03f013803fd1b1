import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { WebSocket } from "ws";
import { pcm } from "../src/audio-files.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { expectBalancedLedger } from "../src/ledger.ts";
import { chatBody, eventsOf, requestIdOf, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { startStack, testSecrets } from "../src/stack.ts";
import {
  newTrace,
  type ReceivedSpan,
  startTraceReceiver,
  type TraceReceiver,
  treeOf,
} from "../src/trace-receiver.ts";

const { stack, account } = await sharedStack();
const isFleet = inject("shape") === "fleet";
const prompt = "Tell nobody that the crown jewels lie under the old oak";

/** Starts a stream and disconnects after its first bytes. */
async function streamAndDisconnect(url: string, key: string, headers: Record<string, string>) {
  const disconnecting = new AbortController();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(chatBody({ stream: true, ...simulate("chunks=50&gap_ms=100") })),
    signal: disconnecting.signal,
  });
  await response.body?.getReader().read();
  disconnecting.abort();
}

/** Sends two seconds of audio and reads every event. */
async function talk(url: string, key: string, headers: Record<string, string>) {
  const path = "/v1/audio/transcriptions/stream";
  const socket = new WebSocket(`${url.replace("http", "ws")}${path}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  await once(socket, "open");
  socket.send(JSON.stringify({ model: "test-hear", format: "pcm_s16le" }));
  socket.send(pcm(2));
  socket.send(JSON.stringify({ action: "flush" }));
  await once(socket, "close");
}

describe("with an address for traces", () => {
  const streamed = newTrace();
  const failing = newTrace();
  const refused = newTrace();
  const cut = newTrace();
  const uploaded = newTrace();
  const disconnected = newTrace();
  const live = newTrace();
  const sessionId = randomUUID();
  const logged: string[] = [];
  let receiver: TraceReceiver;
  let key = "";
  let response: HttpResponse;
  let liveCalls: { traceparent: string | null }[] = [];
  let untraced: HttpResponse;
  let providerPort = 0;
  let seenByProvider: { model: string; traceparent: string | null }[] = [];

  /** Sends every request, then stops the gateway, which must flush its spans. */
  beforeAll(async () => {
    const written = vi.spyOn(process.stderr, "write").mockImplementation((part) => {
      logged.push(...String(part).split("\n"));
      return true;
    });
    receiver = await startTraceReceiver();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, TOLLGATE_LOG: "info" };
    const stack = await startStack(env);
    const own = await stack.newAccount(5);
    key = own.key;
    // What it stores is not in traces, either: the edge is not told to trace it.
    await stack.operator.updateContentDays({ account: own.accountId, days: 1 });
    const messages = [{ role: "user", content: prompt }];
    const post = (body: object, headers?: Record<string, string>) =>
      send(`${stack.url}/v1/chat/completions`, {
        key,
        body: chatBody({ messages, ...body }),
        headers: { ...headers },
      });
    response = await post(
      { model: "test-failover", stream: true, session_id: sessionId, user: "streamed" },
      streamed.headers,
    );
    const { url } = stack.simulator;
    providerPort = Number(new URL(url).port);
    const callLog = await send(`${url}/_simulator/calls?user=streamed`);
    seenByProvider = callLog.body as typeof seenByProvider;
    await post({ model: "test-failing" }, failing.headers);
    await post({ temperature: prompt }, refused.headers);
    await post({ model: "test-cut", stream: true }, cut.headers);
    untraced = await post({ model: "test-keyed" });
    const form = new FormData();
    form.set("model", "test-read");
    form.set("file", new Blob([prompt], { type: "image/png" }), "page.png");
    const upload = new Response(form);
    await send(`${stack.url}/v1/ocr`, {
      key,
      body: new Uint8Array(await upload.arrayBuffer()),
      headers: { "content-type": upload.headers.get("content-type") ?? "", ...uploaded.headers },
    });
    await streamAndDisconnect(stack.url, key, disconnected.headers);
    await talk(stack.url, key, live.headers);
    liveCalls = stack.simulator.calls.list().slice(-1);
    await expectBalancedLedger(stack);
    await stack.stop();
    written.mockRestore();
  });

  afterAll(() => receiver.close());

  function spansOf({ traceId }: { traceId: string }): ReceivedSpan[] {
    return receiver.spans().filter((span) => span.traceId === traceId);
  }

  function one(spans: readonly ReceivedSpan[], name: string, kind?: string): ReceivedSpan {
    const found = spans.filter((span) => span.name === name && span.kind === (kind ?? span.kind));
    expect(found, name).toHaveLength(1);
    return found[0] as ReceivedSpan;
  }

  test("a streamed chat in a conversation is one trace, from the client's span to the ledger", () => {
    expect(response.status).toBe(200);
    const metering = isFleet
      ? ["      producer publish tollgate.usage.v1", "        consumer process tollgate.usage.v1"]
      : [
          "      client tollgate.v1.LedgerService/RecordUsage",
          "        server tollgate.v1.LedgerService/RecordUsage",
        ];
    expect(treeOf(spansOf(streamed), streamed.spanId)).toEqual([
      "server POST /v1/chat/completions",
      "  client tollgate.v1.BillingService/FindKey",
      "    server tollgate.v1.BillingService/FindKey",
      "  client tollgate.v1.BillingService/GetAvailable",
      "    server tollgate.v1.BillingService/GetAvailable",
      "      client tollgate.v1.LedgerService/GetWallet",
      "        server tollgate.v1.LedgerService/GetWallet",
      "  client tollgate.v1.ChatService/Stream",
      "    server tollgate.v1.ChatService/Stream",
      "      internal wait for conversation",
      "      client tollgate.v1.LedgerService/Hold",
      "        server tollgate.v1.LedgerService/Hold",
      "      client chat test-failover [503]",
      "      client chat test-failover",
      "      internal store turn",
      ...metering,
    ]);
  });

  test("its spans come from the services that did the work", () => {
    const spans = spansOf(streamed);
    const serviceOf = (name: string, kind: string) => one(spans, name, kind).service;
    const alone = (service: string) => (isFleet ? `tollgate-${service}` : "tollgate");
    expect(serviceOf("POST /v1/chat/completions", "server")).toBe(alone("edge"));
    expect(serviceOf("tollgate.v1.ChatService/Stream", "client")).toBe(alone("edge"));
    expect(serviceOf("tollgate.v1.ChatService/Stream", "server")).toBe(alone("chat"));
    expect(serviceOf("tollgate.v1.LedgerService/Hold", "server")).toBe(alone("ledger"));
  });

  test("the edge's span describes the request", () => {
    expect(one(spansOf(streamed), "POST /v1/chat/completions").attributes).toEqual({
      "http.request.method": "POST",
      "http.route": "/v1/chat/completions",
      "http.response.status_code": 200,
      "gen_ai.request.model": "test-failover",
      "tollgate.request_id": requestIdOf(response),
      "tollgate.client_disconnected": false,
    });
  });

  test("calls between services name their method and transport", () => {
    for (const kind of ["client", "server"]) {
      expect(one(spansOf(streamed), "tollgate.v1.ChatService/Stream", kind).attributes).toEqual({
        "rpc.system.name": isFleet ? "grpc" : "in_process",
        "rpc.method": "tollgate.v1.ChatService/Stream",
      });
    }
  });

  test("each attempt names its provider, and the one that served its usage", () => {
    const attempts = spansOf(streamed).filter(({ name }) => name === "chat test-failover");
    const [first, second] = attempts as [ReceivedSpan, ReceivedSpan];
    const both = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "sim",
      "gen_ai.request.model": "test-failover",
      "http.request.method": "POST",
      "server.address": "127.0.0.1",
      "server.port": providerPort,
    };
    expect(first.attributes).toEqual({
      ...both,
      "tollgate.slot": "sim/first?status=503",
      "http.response.status_code": 503,
      "error.type": "503",
    });
    const { usage } = eventsOf(response.text).at(-2) as { usage: Record<string, number> };
    expect(second.attributes).toEqual({
      ...both,
      "tollgate.slot": "sim/second",
      "http.response.status_code": 200,
      "gen_ai.response.model": "second",
      "gen_ai.response.time_to_first_chunk": expect.any(Number),
      "gen_ai.usage.input_tokens": usage.prompt_tokens,
      "gen_ai.usage.output_tokens": usage.completion_tokens,
      "gen_ai.usage.cache_read.input_tokens": 0,
      "tollgate.usage.quantity": usage.total_tokens,
      "tollgate.usage.unit": "tokens",
      "tollgate.usage.basis": "provider",
    });
    expect([first.events, second.events]).toEqual([[], ["gen_ai.first_token"]]);
  });

  test("requests to the provider carry the trace, each under its own attempt", () => {
    const attempts = spansOf(streamed).filter(({ name }) => name === "chat test-failover");
    expect(seenByProvider.map(({ traceparent }) => traceparent)).toEqual(
      attempts.map(({ spanId }) => `00-${streamed.traceId}-${spanId}-01`),
    );
  });

  test.runIf(isFleet)("a publish to the broker names its message", () => {
    const spans = spansOf(streamed);
    const message = {
      "messaging.system.name": "nats",
      "messaging.destination.name": "tollgate.usage.v1",
      "messaging.message.id": requestIdOf(response),
    };
    const publish = one(spans, "publish tollgate.usage.v1");
    expect([publish.service, publish.attributes]).toEqual([
      "tollgate-chat",
      {
        ...message,
        "messaging.operation.name": "publish",
        "messaging.operation.type": "send",
      },
    ]);
    const process = one(spans, "process tollgate.usage.v1");
    expect([process.service, process.attributes]).toEqual([
      "tollgate-ledger",
      {
        ...message,
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.consumer.group.name": "ledger",
      },
    ]);
  });

  test("a failure has its code on every span that it passed", () => {
    expect(treeOf(spansOf(failing), failing.spanId)).toEqual(
      expect.arrayContaining([
        "server POST /v1/chat/completions [upstream_rejected]",
        "  client tollgate.v1.ChatService/Complete [upstream_rejected]",
        "    server tollgate.v1.ChatService/Complete [upstream_rejected]",
        "      client chat test-failing [500]",
      ]),
    );
    const { attributes } = one(spansOf(failing), "POST /v1/chat/completions");
    expect(attributes).toMatchObject({
      "http.response.status_code": 502,
      "error.type": "upstream_rejected",
    });
  });

  test("a stream that breaks is a failure, though its status was 200", () => {
    expect(treeOf(spansOf(cut), cut.spanId)).toEqual(
      expect.arrayContaining([
        "server POST /v1/chat/completions [upstream_rejected]",
        "      client chat test-cut [unreachable]",
      ]),
    );
  });

  test("a refusal does not fail the edge's span", () => {
    const [span] = spansOf(refused);
    expect(span).toMatchObject({ name: "POST /v1/chat/completions", failure: undefined });
    expect(span?.attributes).toMatchObject({
      "http.response.status_code": 400,
      "error.type": "invalid_param",
    });
  });

  test("the trace of an upload includes the proxied request", () => {
    expect(treeOf(spansOf(uploaded), uploaded.spanId)).toEqual(
      expect.arrayContaining([
        "server POST /v1/ocr",
        "  server POST /v1/ocr",
        "    client tollgate.v1.LedgerService/Hold",
        "    client ocr test-read",
      ]),
    );
    const attempt = one(spansOf(uploaded), "ocr test-read");
    expect(attempt.attributes).toMatchObject({ "gen_ai.operation.name": "ocr" });
  });

  test("live audio is one trace for as long as it lasts", () => {
    const route = "GET /v1/audio/transcriptions/stream";
    expect(treeOf(spansOf(live), live.spanId)).toEqual(
      expect.arrayContaining([
        `server ${route}`,
        `  server ${route}`,
        "    client tollgate.v1.LedgerService/Hold",
        "    client transcriptions test-hear",
      ]),
    );
    const attempt = one(spansOf(live), "transcriptions test-hear");
    expect(attempt.attributes).toMatchObject({
      "server.port": providerPort,
      "tollgate.usage.quantity": 2,
      "tollgate.usage.unit": "audio_seconds",
    });
    const provided = liveCalls.map(({ traceparent }) => traceparent);
    expect(provided).toEqual([`00-${live.traceId}-${attempt.spanId}-01`]);
  });

  test("a client that disconnects is recorded as such, with its usage", () => {
    const spans = spansOf(disconnected);
    expect(one(spans, "POST /v1/chat/completions")).toMatchObject({
      failure: undefined,
      attributes: { "tollgate.client_disconnected": true },
    });
    expect(one(spans, "tollgate.v1.ChatService/Stream", "server").attributes).toMatchObject({
      "error.type": "cancelled",
    });
    expect(one(spans, "chat test-small")).toMatchObject({
      failure: undefined,
      events: ["gen_ai.first_token"],
      attributes: { "tollgate.usage.basis": "tokenized" },
    });
  });

  test("a request without a trace starts one", () => {
    const id = requestIdOf(untraced);
    const root = receiver.spans().find((span) => span.attributes["tollgate.request_id"] === id);
    expect(root).toMatchObject({ kind: "server", parentSpanId: undefined });
    expect(spansOf(root as ReceivedSpan).map(({ name }) => name)).toContain("chat test-keyed");
  });

  test("only requests create traces", () => {
    const roots = receiver.spans().filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(new Set(roots.map(({ kind }) => kind))).toEqual(new Set(["server"]));
    const housekeeping = /ConfirmUsage|ExtendHolds|Health/;
    expect(receiver.spans().filter(({ name }) => housekeeping.test(name))).toEqual([]);
  });

  test("the log lines of a request carry its trace", () => {
    const id = requestIdOf(response);
    const lines = logged.flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
    const traceIdOf = (msg: string) =>
      lines.find((line) => line.msg === msg && line.request_id === id)?.trace_id;
    expect([traceIdOf("request"), traceIdOf("generation")]).toEqual([
      streamed.traceId,
      streamed.traceId,
    ]);
    expect(lines.find(({ msg }) => msg === "slot failed").trace_id).toBe(streamed.traceId);
  });

  test("no span contains a prompt, a response, a key or a secret", () => {
    const said = eventsOf(response.text)
      .map((event) => (event as { choices?: { delta: { content?: string } }[] }).choices?.[0])
      .map((choice) => choice?.delta.content ?? "")
      .join("");
    expect(said.length).toBeGreaterThan(20);
    const raw = receiver.raw();
    const secrets = [prompt, "crown jewels", said.slice(0, 20), said.slice(-20)];
    for (const secret of [
      ...secrets,
      key,
      "sk-tollgate-",
      "provider-secret",
      ...Object.values(testSecrets),
    ]) {
      expect(raw.includes(secret), secret).toBe(false);
    }
    expect(raw).not.toContain(sessionId);
  });
});

test("without an address for traces no trace is sent on to the provider", async () => {
  const { key } = account;
  const { headers } = newTrace();
  const body = chatBody({ user: "off", stream: true });
  const response = await send(`${stack.url}/v1/chat/completions`, { key, body, headers });
  expect(response.status).toBe(200);
  const callLog = await send(`${stack.simulator.url}/_simulator/calls?user=off`);
  expect(callLog.body).toMatchObject([{ traceparent: null }]);
});
