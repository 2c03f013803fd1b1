import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { flac, oggOpus, pcm, wav } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import { entryOf, expectBooksInOrder, readBooks } from "../src/ledger-books.ts";
import { lastUpload, sha256 } from "../src/provider-uploads.ts";
import { named } from "../src/raw-form.ts";
import { expectEnvelope, requestIdOf } from "../src/request.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";
import {
  audioForm,
  type TranscriptionClient,
  transcriptionClient,
} from "../src/transcription-client.ts";

const mebibyte = 1024 * 1024;

describe("transcription of uploads in one answer", () => {
  let stack: Stack;
  let account: Account;
  let audio: TranscriptionClient;

  beforeAll(async () => {
    stack = await startStack();
    account = await stack.newAccount(10);
    audio = transcriptionClient(stack, account);
  });

  afterAll(async () => {
    await expectBooksInOrder(stack);
    await stack.stop();
  });

  test.each([
    ["WAV", wav(2.5), "audio/wav"],
    ["FLAC", flac, "audio/flac"],
    ["Ogg-Opus", oggOpus, "audio/ogg; codecs=opus"],
    ["raw PCM with its rate", pcm(1), "audio/L16;rate=16000;channels=1"],
    ["24 MiB", Buffer.alloc(24 * mebibyte, 1), "audio/wav"],
  ])("%s goes to the provider as the raw body, with its type", async (_, file, type) => {
    const answer = await audio.postRaw([
      {
        head: `${named("file", '; filename="a"')}\r\nContent-Type: ${type}`,
        contents: file,
      },
      { head: named("model"), contents: "test-hear" },
    ]);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("transcript")]);
    expect(lastUpload(stack)).toEqual({
      contentType: type,
      bytes: file.length,
      sha256: sha256(file),
      lang: undefined,
    });
  });

  test("the answer is the provider's, byte for byte", async () => {
    const answer = await audio.ask();
    expect(answer.text).toBe(
      '{\n "text": "simulated transcript",\n "language": "en",\n "duration": 1\n}\n',
    );
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
  });

  test("a language is passed on as lang, an empty one is not; three fields are dropped", async () => {
    const dropped = { prompt: "p", response_format: "whatever", temperature: "hot" };
    expect((await audio.ask({ language: "de", ...dropped })).status).toBe(200);
    expect(lastUpload(stack)?.lang).toBe("de");
    expect((await audio.ask({ prompt: "p".repeat(100_000) })).status).toBe(200);
    expect((await audio.ask({ language: "", stream: "false" })).status).toBe(200);
    expect(lastUpload(stack)?.lang).toBeUndefined();
  });

  test("seconds are the provider's, rounded up, else the clock's", async () => {
    const reported = await entryOf(
      stack,
      account,
      requestIdOf(await audio.ask({ model: "test-hear-duration" })),
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
      requestIdOf(await audio.ask({ model: "test-hear-clock" })),
    );
    expect(clock).toMatchObject({ quantity: 2n, basis: "wall_clock" });
  });

  test("an undecodable upload is 502, unbilled", async () => {
    const answer = await audio.ask({}, Buffer.from("garbage in"));
    expectEnvelope(answer, 502, "upstream_rejected");
    expect(answer.text).toContain("cannot be decoded");
    expect(await entryOf(stack, account, requestIdOf(answer))).toMatchObject({
      kind: "failure",
      amountNanoUsd: 0n,
    });
  });

  test("a language that is not served is the provider's own 502, told not to retry", async () => {
    const before = stack.simulator.calls.list().length;
    for (const language of ["", "xx"]) {
      const answer = await audio.ask({ model: "test-hear-dedicated", language });
      expect([answer.status, answer.text]).toEqual([502, "502 Bad Gateway: language not served\n"]);
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(answer.headers.get("x-should-retry")).toBe("false");
      expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
      expect(await entryOf(stack, account, requestIdOf(answer))).toMatchObject({
        kind: "failure",
        amountNanoUsd: 0n,
      });
    }
    expect(stack.simulator.calls.list()).toHaveLength(before + 2);
    expect((await audio.ask({ model: "test-hear-dedicated", language: "fr" })).status).toBe(200);
  });

  test("where a language was named, a slot's 502 is passed on to the next slot", async () => {
    const model = "test-hear-dedicated-broken";
    const before = stack.simulator.calls.list().length;
    expect((await audio.ask({ model, language: "fr" })).status).toBe(200);
    const unserved = await audio.ask({ model, language: "xx" });
    expect([unserved.status, unserved.text]).toEqual([
      502,
      "502 Bad Gateway: language not served\n",
    ]);
    expect(stack.simulator.calls.list()).toHaveLength(before + 4);
    const unnamed = await audio.ask({ model });
    expect([unnamed.status, unnamed.headers.get("x-should-retry")]).toEqual([502, "false"]);
    expect(stack.simulator.calls.list()).toHaveLength(before + 5);
  });

  test("languages that are not served do not take a slot out", async () => {
    for (let call = 0; call < 6; call += 1) {
      const answer = await audio.ask({ model: "test-hear-dedicated", language: "xx" });
      expect(answer.text).toContain("language not served");
    }
    expect((await audio.ask({ model: "test-hear-dedicated", language: "fr" })).status).toBe(200);
  });

  test.each([
    ["a file without a length of its own", oggOpus, 3n],
    ["a WAV", wav(7.5), 8n],
    ["a WAV whose header claims another pace", wav(8, { pace: 0x7fff_ffff }), 129n],
  ])("the hold for %s covers the longest that it can be", async (_, file, seconds) => {
    const own = await stack.newAccount(1);
    const answering = audio.post(audioForm(file, { model: "test-hear-held" }), own.key);
    const isHeld = async () => {
      expect((await readBooks(stack, own)).held).toBe(seconds * 100_000n);
    };
    await eventually(isHeld, { timeout: 10_000 });
    expect((await answering).status).toBe(200);
  });

  test("502 where a provider reports an error in a 200, unbilled", async () => {
    const answer = await audio.ask({ model: "test-hear-erring" });
    expectEnvelope(answer, 502, "upstream_rejected");
    expect(await entryOf(stack, account, requestIdOf(answer))).toMatchObject({ kind: "failure" });
  });

  test("503 when no provider can be reached", async () => {
    expectEnvelope(await audio.ask({ model: "test-hear-dead" }), 503, "no_provider_available");
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

  test("the openai client transcribes, also a file that it streams", async () => {
    const client = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: account.key, maxRetries: 0 });
    const model = "test-hear";
    const file = join(tmpdir(), `${randomUUID()}.wav`);
    await writeFile(file, wav(1));
    const whole = await client.audio.transcriptions.create({
      model,
      file: await toFile(wav(1), "a.wav", { type: "audio/wav" }),
    });
    expect(whole.text).toBe("simulated transcript");
    const streamed = await client.audio.transcriptions.create({
      model,
      file: createReadStream(file),
    });
    await rm(file);
    expect(streamed.text).toBe("simulated transcript");
  });

  test("headers that look like ours, and the client's secrets, go no further", async () => {
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
