import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { entryOf, readWalletRow } from "../src/ledger.ts";
import { expectEnvelope, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account, expectBooks, lastCall } = await sharedStack({ creditUsd: 10 });

describe("speech and voices", () => {
  const body = { model: "test-speech", input: "Hello there", voice: "alto" };

  function post(more: Record<string, unknown>, key: string = account.key) {
    return send(`${stack.url}/v1/audio/speech`, { key, body: { ...body, ...more } });
  }

  function speak(more: Record<string, unknown>) {
    return fetch(`${stack.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...body, ...more }),
    });
  }

  test("audio is sent chunked with only its content type, and billed by code points", async () => {
    const response = await speak({ input: "Grüße 😀😀" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("audio/mpeg");
    expect(response.headers.get("content-length")).toBeNull();
    expect(response.headers.get("transfer-encoding")).toBe("chunked");
    const audio = Buffer.from(await response.arrayBuffer());
    expect(audio).toHaveLength(1_000);
    expect(audio.every((byte, index) => byte === index % 251)).toBe(true);
    const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
    expect(entry).toMatchObject({
      unitType: "chars",
      quantity: 8n,
      basis: "input",
      amountNanoUsd: -120_000n,
    });
    expect(lastCall().body).toEqual({ ...body, model: "voice", input: "Grüße 😀😀" });
  });

  test.each([
    ["test-speech-wav", "audio/wav"],
    ["test-speech-shouted", "AUDIO/WAV"],
    ["test-speech-untyped", "audio/mpeg"],
    ["test-speech-html", "audio/mpeg"],
  ])("%s is sent as %s", async (model, type) => {
    const response = await speak({ model });
    expect(response.headers.get("content-type")).toBe(type);
    await response.arrayBuffer();
  });

  test.each<[string, Record<string, unknown>, string, string]>([
    ["no input", { input: undefined }, "invalid_param", "input"],
    ["an empty input", { input: "" }, "invalid_param", "input"],
    ["401 code points", { input: "😀".repeat(401) }, "invalid_param", "input"],
    ["no voice", { voice: undefined }, "invalid_param", "voice"],
    ["a voice object", { voice: { id: "x" } }, "invalid_param", "voice"],
    ["stream", { stream: true }, "unknown_param", "stream"],
    ["stream_format", { stream_format: "sse" }, "unknown_param", "stream_format"],
    ["instructions", { instructions: "x" }, "unknown_param", "instructions"],
    ["an unknown format", { response_format: "ogg" }, "invalid_param", "response_format"],
    [
      "a format that the alias does not support",
      { model: "test-speech-wav", response_format: "mp3" },
      "invalid_param",
      "response_format",
    ],
    ["speed 5", { speed: 5 }, "invalid_param", "speed"],
    ["speed text", { speed: "1" }, "invalid_param", "speed"],
    ["model number", { model: 5 }, "invalid_param", "model"],
  ])("%s is refused before the provider is called", async (_, fields, code, param) => {
    const before = stack.simulator.calls.list().length;
    expectEnvelope(await post(fields), 400, code, param);
    expect(stack.simulator.calls.list()).toHaveLength(before);
  });

  test("400 code points, every format and both ends of speed are accepted", async () => {
    expect((await post({ input: "😀".repeat(400), speed: 0.25 })).status).toBe(200);
    for (const response_format of ["mp3", "opus", "aac", "flac", "wav", "pcm", null]) {
      expect((await post({ response_format, speed: 4 })).status).toBe(200);
    }
  });

  test("401, 402, 403 and 404 as on every route", async () => {
    expectEnvelope(await post({}, "sk-tollgate-x"), 401, "invalid_api_key");
    const poor = await stack.newAccount(0);
    expectEnvelope(await post({}, poor.key), 402, "credit_balance_exhausted");
    await stack.operator.revokeKey({ keyId: poor.keyId });
    await eventually(async () => expectEnvelope(await post({}, poor.key), 403, "key_revoked"));
    for (const model of ["nobody", "test-small", "test-speech-internal"]) {
      expectEnvelope(await post({ model }), 404, "model_not_found", "model");
    }
  });

  test("a provider that fails before its first byte returns 502, an unreachable one 503, both at no charge", async () => {
    for (const model of ["test-speech-failing", "test-speech-refused", "test-speech-empty"]) {
      const response = await post({ model });
      expectEnvelope(response, 502, "upstream_rejected");
      const isRefusal = model === "test-speech-refused";
      expect(response.headers.get("x-should-retry")).toBe(isRefusal ? "false" : null);
      const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
      expect(entry).toMatchObject({ kind: "failure", amountNanoUsd: 0n });
    }
    expectEnvelope(await post({ model: "test-speech-dead" }), 503, "no_provider_available");
  });

  test("JSON instead of audio is a failure at no charge, and the next slot is called", async () => {
    const response = await post({ model: "test-speech-erring" });
    expectEnvelope(response, 502, "upstream_rejected");
    const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
    expect(entry).toMatchObject({ kind: "failure", amountNanoUsd: 0n });
    const next = await post({ model: "test-speech-erring-first" });
    expect([next.status, next.headers.get("content-type")]).toEqual([200, "audio/mpeg"]);
    expect(lastCall().model).toBe("good");
  });

  test("a retry with the same idempotency key runs again and is billed again", async () => {
    const own = await stack.newAccount(1);
    const options = { key: own.key, body, headers: { "idempotency-key": "again" } };
    const responses = [
      await send(`${stack.url}/v1/audio/speech`, options),
      await send(`${stack.url}/v1/audio/speech`, options),
    ];
    for (const { status, headers } of responses) {
      expect([status, headers.get("idempotency-replayed")]).toEqual([200, null]);
    }
    await expectBooks();
    const { entries } = await readWalletRow(stack, own);
    expect(entries.filter(({ kind }) => kind === "usage")).toHaveLength(2);
  });

  test("the openai client creates speech", async () => {
    const client = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: account.key, maxRetries: 0 });
    const response = await client.audio.speech.create({
      model: "test-speech",
      input: "Hello",
      voice: "alto",
    });
    expect((await response.arrayBuffer()).byteLength).toBe(500);
  });

  test("voices are the provider's response byte for byte, unmetered and free for an empty wallet", async () => {
    const poor = await stack.newAccount(0);
    const url = `${stack.url}/v1/audio/voices?model=test-speech`;
    const response = await send(url, { key: poor.key });
    const direct = await send(`${stack.simulator.url}/v1/audio/voices?model=voice`);
    expect([response.status, response.text]).toEqual([200, direct.text]);
    expect(response.headers.get("content-type")).toContain("application/json");
    const { entries } = await stack.operator.listLedger({ account: poor.accountId, limit: 9 });
    expect(entries).toEqual([]);
  });

  test("invalid requests for voices are refused", async () => {
    const voices = (query: string, key: string | undefined = account.key) =>
      send(`${stack.url}/v1/audio/voices${query}`, { key });
    expectEnvelope(await voices(""), 400, "invalid_param", "model");
    expectEnvelope(await voices("?model="), 400, "invalid_param", "model");
    expectEnvelope(await voices("?model=a&model=b"), 400, "invalid_param", "model");
    expectEnvelope(await voices("?model=test-speech&limit=5"), 400, "unknown_param", "limit");
    expectEnvelope(await voices("?model=test-speech", ""), 401, "invalid_api_key");
    expectEnvelope(await voices("?model=test-small"), 404, "model_not_found", "model");
    expectEnvelope(await voices("?model=test-speech-failing"), 502, "upstream_rejected");
    expectEnvelope(await voices("?model=test-speech-dead"), 503, "no_provider_available");
  });
});
