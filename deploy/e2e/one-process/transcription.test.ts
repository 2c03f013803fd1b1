import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import { describe, expect, test } from "vitest";
import { flac, oggOpus, pcm, wav } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import { entryOf, readWalletRow } from "../src/ledger.ts";
import { lastUpload, sha256 } from "../src/provider-uploads.ts";
import { named } from "../src/raw-form.ts";
import { expectEnvelope, requestIdOf } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { audioForm, transcriptionClient } from "../src/transcription-client.ts";

const mebibyte = 1024 * 1024;

const { stack, account } = await sharedStack({ creditUsd: 10 });
const audio = transcriptionClient(stack, account);

describe("transcription of uploads as one response", () => {
  test.each([
    ["WAV", wav(2.5), "audio/wav"],
    ["FLAC", flac, "audio/flac"],
    ["Ogg-Opus", oggOpus, "audio/ogg; codecs=opus"],
    ["raw PCM with its rate", pcm(1), "audio/L16;rate=16000;channels=1"],
    ["24 MiB", Buffer.alloc(24 * mebibyte, 1), "audio/wav"],
  ])("%s is sent to the provider as the raw body with its type", async (_, file, type) => {
    const response = await audio.postRaw([
      {
        head: `${named("file", '; filename="a"')}\r\nContent-Type: ${type}`,
        contents: file,
      },
      { head: named("model"), contents: "test-hear" },
    ]);
    expect([response.status, response.text]).toEqual([200, expect.stringContaining("transcript")]);
    expect(lastUpload(stack)).toEqual({
      contentType: type,
      bytes: file.length,
      sha256: sha256(file),
      lang: undefined,
    });
  });

  test("the response is the provider's, byte for byte", async () => {
    const response = await audio.transcribe();
    expect(response.text).toBe(
      '{\n "text": "simulated transcript",\n "language": "en",\n "duration": 1\n}\n',
    );
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(response.headers.get("x-request-id")).toMatch(/^req_/);
  });

  test("a language is passed on as lang unless it is empty; three fields are dropped", async () => {
    const dropped = { prompt: "p", response_format: "whatever", temperature: "hot" };
    expect((await audio.transcribe({ language: "de", ...dropped })).status).toBe(200);
    expect(lastUpload(stack)?.lang).toBe("de");
    expect((await audio.transcribe({ prompt: "p".repeat(100_000) })).status).toBe(200);
    expect((await audio.transcribe({ language: "", stream: "false" })).status).toBe(200);
    expect(lastUpload(stack)?.lang).toBeUndefined();
  });

  test("the provider's seconds are billed, rounded up, else the elapsed time", async () => {
    const reported = await entryOf(
      stack,
      account,
      requestIdOf(await audio.transcribe({ model: "test-hear-duration" })),
    );
    expect(reported).toMatchObject({
      unitType: "audio_seconds",
      quantity: 13n,
      basis: "provider",
      amountNanoUsd: -1_300_000n,
    });
    const clock = await entryOf(
      stack,
      account,
      requestIdOf(await audio.transcribe({ model: "test-hear-clock" })),
    );
    expect(clock).toMatchObject({ quantity: 2n, basis: "wall_clock" });
    const file = wav(4, { trailer: 64_000 });
    const measured = await audio.transcribe({ model: "test-hear-measured" }, file);
    expect(await entryOf(stack, account, requestIdOf(measured))).toMatchObject({
      quantity: 7n,
      basis: "wav_header",
    });
  });

  test("an upload that the provider cannot decode is 502, at no charge", async () => {
    const response = await audio.transcribe({}, Buffer.from("garbage in"));
    expectEnvelope(response, 502, "upstream_rejected");
    expect(response.text).toContain("cannot be decoded");
    expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({
      kind: "failure",
      amountNanoUsd: 0n,
    });
  });

  test("a language that is not served returns the provider's own 502, marked as not to be retried", async () => {
    const before = stack.simulator.calls.list().length;
    for (const language of ["", "xx"]) {
      const response = await audio.transcribe({ model: "test-hear-dedicated", language });
      expect([response.status, response.text]).toEqual([
        502,
        "502 Bad Gateway: language not served\n",
      ]);
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(response.headers.get("x-should-retry")).toBe("false");
      expect(response.headers.get("x-request-id")).toMatch(/^req_/);
      expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({
        kind: "failure",
        amountNanoUsd: 0n,
      });
    }
    expect(stack.simulator.calls.list()).toHaveLength(before + 2);
    expect((await audio.transcribe({ model: "test-hear-dedicated", language: "fr" })).status).toBe(
      200,
    );
  });

  test("with a named language, a slot's 502 moves on to the next slot", async () => {
    const model = "test-hear-dedicated-broken";
    const before = stack.simulator.calls.list().length;
    expect((await audio.transcribe({ model, language: "fr" })).status).toBe(200);
    const unserved = await audio.transcribe({ model, language: "xx" });
    expect([unserved.status, unserved.text]).toEqual([
      502,
      "502 Bad Gateway: language not served\n",
    ]);
    expect(stack.simulator.calls.list()).toHaveLength(before + 4);
    const unnamed = await audio.transcribe({ model });
    expect([unnamed.status, unnamed.headers.get("x-should-retry")]).toEqual([502, null]);
    expect(stack.simulator.calls.list()).toHaveLength(before + 5);
  });

  test.each([
    "",
    "de",
  ])("a 502 that does not name the language is passed on, and may be retried (language: %j)", async (language) => {
    const response = await audio.transcribe({ model: "test-hear-dedicated-out", language });
    expect(response.status).toBe(502);
    expect(response.text).toContain("simulated");
    expect(response.headers.has("x-should-retry")).toBe(false);
  });

  test.each([
    "",
    "xx",
  ])("a 400 that names the language is passed on as a 502, marked as not to be retried (language: %j)", async (language) => {
    const response = await audio.transcribe({ model: "test-hear-dedicated-strict", language });
    expect([response.status, response.headers.get("x-should-retry")]).toEqual([502, "false"]);
    expect(response.body).toMatchObject({ error: { message: "unknown language" } });
    expect(response.body).not.toMatchObject({ error: { code: "upstream_rejected" } });
  });

  test("languages that are not served do not open the breaker", async () => {
    for (let call = 0; call < 6; call += 1) {
      const response = await audio.transcribe({ model: "test-hear-dedicated", language: "xx" });
      expect(response.text).toContain("language not served");
    }
    expect((await audio.transcribe({ model: "test-hear-dedicated", language: "fr" })).status).toBe(
      200,
    );
  });

  test.each([
    ["a file without a duration in its header", oggOpus, 3n],
    ["a WAV", wav(7.5), 8n],
    ["a WAV whose header claims another byte rate", wav(8, { pace: 0x7fff_ffff }), 129n],
  ])("the hold for %s covers its longest possible duration", async (_, file, seconds) => {
    const own = await stack.newAccount(1);
    const pending = audio.post(audioForm(file, { model: "test-hear-held" }), own.key);
    const isHeld = async () => {
      expect((await readWalletRow(stack, own)).held).toBe(seconds * 100_000n);
    };
    await eventually(isHeld, { timeout: 10_000 });
    stack.simulator.release();
    expect((await pending).status).toBe(200);
  });

  test("502 when a provider reports an error in a 200, at no charge", async () => {
    const response = await audio.transcribe({ model: "test-hear-erring" });
    expectEnvelope(response, 502, "upstream_rejected");
    expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({ kind: "failure" });
  });

  test("503 when no provider can be reached", async () => {
    expectEnvelope(
      await audio.transcribe({ model: "test-hear-dead" }),
      503,
      "no_provider_available",
    );
  });

  test("a retry with the same idempotency key runs again", async () => {
    const before = stack.simulator.calls.list().length;
    for (const _ of [1, 2]) {
      const response = await fetch(audio.url, {
        method: "POST",
        headers: { authorization: `Bearer ${account.key}`, "idempotency-key": "again" },
        body: audioForm(wav(1), { model: "test-hear" }),
      });
      expect(response.status).toBe(200);
      expect(response.headers.get("idempotency-replayed")).toBeNull();
    }
    expect(stack.simulator.calls.list()).toHaveLength(before + 2);
  });

  test("the openai client transcribes, also from a read stream", async () => {
    const client = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: account.key, maxRetries: 0 });
    const model = "test-hear";
    const file = join(tmpdir(), `${randomUUID()}.wav`);
    await writeFile(file, wav(1));
    const complete = await client.audio.transcriptions.create({
      model,
      file: await toFile(wav(1), "a.wav", { type: "audio/wav" }),
    });
    expect(complete.text).toBe("simulated transcript");
    const streamed = await client.audio.transcriptions.create({
      model,
      file: createReadStream(file),
    });
    await rm(file);
    expect(streamed.text).toBe("simulated transcript");
  });

  test("internal headers and secrets that a client sends are not passed on", async () => {
    const response = await fetch(audio.url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${account.key}`,
        "x-tollgate-account-id": "acct_other",
        "x-tollgate-request-id": "req_forged",
        "x-request-id": "forged",
      },
      body: audioForm(wav(1), { model: "test-hear" }),
    });
    const requestId = response.headers.get("x-request-id");
    expect(requestId).toMatch(/^req_[0-9a-f]{32}$/);
    await response.text();
    await entryOf(stack, account, requestId);
  });
});
