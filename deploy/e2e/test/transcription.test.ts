import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bytesPerSecond, flac, oggOpus, pcm, wav } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import { entryOf, expectBooksInOrder, readBooks } from "../src/ledger-books.ts";
import { type Answer, eventsOf, expectEnvelope, requestIdOf, send } from "../src/request.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";

const mebibyte = 1024 * 1024;

type Fields = Record<string, string>;

describe("transcription of uploads", () => {
  let stack: Stack;
  let account: Account;

  beforeAll(async () => {
    stack = await startStack();
    account = await stack.newAccount(10);
  });

  afterAll(async () => {
    await expectBooksInOrder(stack);
    await stack.stop();
  });

  const url = () => `${stack.url}/v1/audio/transcriptions`;

  function formOf(file: Buffer | undefined, fields: Fields, type = "audio/wav"): FormData {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    if (file) form.append("file", new Blob([new Uint8Array(file)], { type }), "a.wav");
    return form;
  }

  async function post(form: FormData, key: string = account.key): Promise<Answer> {
    const response = new Response(form);
    const body = new Uint8Array(await response.arrayBuffer());
    const type = response.headers.get("content-type") ?? "";
    return send(url(), { key, body, headers: { "content-type": type } });
  }

  function ask(fields: Fields = {}, file: Buffer = wav(1), type = "audio/wav") {
    return post(formOf(file, { model: "test-hear", ...fields }, type));
  }

  function lastCall() {
    return stack.simulator.journal.list().at(-1);
  }

  function sha256(bytes: Buffer): string {
    return createHash("sha256").update(bytes).digest("hex");
  }

  /** A form written by hand: every part just as it stands. */
  function rawForm(parts: readonly { head: string; contents: string | Buffer }[]) {
    const boundary = `b${randomUUID()}`;
    const pieces = parts.flatMap(({ head, contents }) => [
      Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
      Buffer.from(contents),
      Buffer.from("\r\n"),
    ]);
    const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
    return send(url(), {
      key: account.key,
      body,
      headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
    });
  }

  const named = (name: string, rest = "") =>
    `Content-Disposition: form-data; name="${name}"${rest}`;

  describe("in one answer", () => {
    test.each([
      ["WAV", wav(2.5), "audio/wav"],
      ["FLAC", flac, "audio/flac"],
      ["Ogg-Opus", oggOpus, "audio/ogg; codecs=opus"],
      ["raw PCM with its rate", pcm(1), "audio/L16;rate=16000;channels=1"],
      ["24 MiB", Buffer.alloc(24 * mebibyte, 1), "audio/wav"],
    ])("%s goes to the provider as the raw body, with its type", async (_, file, type) => {
      const answer = await rawForm([
        {
          head: `${named("file", '; filename="a"')}\r\nContent-Type: ${type}`,
          contents: file,
        },
        { head: named("model"), contents: "test-hear" },
      ]);
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("transcript")]);
      expect(lastCall()?.upload).toEqual({
        contentType: type,
        bytes: file.length,
        sha256: sha256(file),
        lang: undefined,
      });
    });

    test("the answer is the provider's, byte for byte", async () => {
      const answer = await ask();
      expect(answer.text).toBe(
        '{\n "text": "simulated transcript",\n "language": "en",\n "duration": 1\n}\n',
      );
      expect(answer.headers.get("content-type")).toContain("application/json");
      expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
    });

    test("a language is passed on as lang, an empty one is not; three fields are dropped", async () => {
      const dropped = { prompt: "p", response_format: "whatever", temperature: "hot" };
      expect((await ask({ language: "de", ...dropped })).status).toBe(200);
      expect(lastCall()?.upload?.lang).toBe("de");
      expect((await ask({ prompt: "p".repeat(100_000) })).status).toBe(200);
      expect((await ask({ language: "", stream: "false" })).status).toBe(200);
      expect(lastCall()?.upload?.lang).toBeUndefined();
    });

    test("seconds are the provider's, rounded up, else the clock's", async () => {
      const reported = await entryOf(
        stack,
        account,
        requestIdOf(await ask({ model: "test-hear-duration" })),
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
        requestIdOf(await ask({ model: "test-hear-clock" })),
      );
      expect(clock).toMatchObject({ quantity: 2n, basis: "wall_clock" });
    });

    test("an undecodable upload is 502, unbilled", async () => {
      const answer = await ask({}, Buffer.from("garbage in"));
      expectEnvelope(answer, 502, "upstream_rejected");
      expect(answer.text).toContain("cannot be decoded");
      expect(await entryOf(stack, account, requestIdOf(answer))).toMatchObject({
        kind: "failure",
        amountNanoUsd: 0n,
      });
    });

    test("a language that is not served is the provider's own 502, told not to retry", async () => {
      const before = stack.simulator.journal.list().length;
      for (const language of ["", "xx"]) {
        const answer = await ask({ model: "test-hear-dedicated", language });
        expect([answer.status, answer.text]).toEqual([
          502,
          "502 Bad Gateway: language not served\n",
        ]);
        expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
        expect(answer.headers.get("x-should-retry")).toBe("false");
        expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
        expect(await entryOf(stack, account, requestIdOf(answer))).toMatchObject({
          kind: "failure",
          amountNanoUsd: 0n,
        });
      }
      expect(stack.simulator.journal.list()).toHaveLength(before + 2);
      expect((await ask({ model: "test-hear-dedicated", language: "fr" })).status).toBe(200);
    });

    test("where a language was named, a slot's 502 is passed on to the next slot", async () => {
      const model = "test-hear-dedicated-broken";
      const before = stack.simulator.journal.list().length;
      expect((await ask({ model, language: "fr" })).status).toBe(200);
      const unserved = await ask({ model, language: "xx" });
      expect([unserved.status, unserved.text]).toEqual([
        502,
        "502 Bad Gateway: language not served\n",
      ]);
      expect(stack.simulator.journal.list()).toHaveLength(before + 4);
      const unnamed = await ask({ model });
      expect([unnamed.status, unnamed.headers.get("x-should-retry")]).toEqual([502, "false"]);
      expect(stack.simulator.journal.list()).toHaveLength(before + 5);
    });

    test("languages that are not served do not take a slot out", async () => {
      for (let call = 0; call < 6; call += 1) {
        const answer = await ask({ model: "test-hear-dedicated", language: "xx" });
        expect(answer.text).toContain("language not served");
      }
      expect((await ask({ model: "test-hear-dedicated", language: "fr" })).status).toBe(200);
    });

    test.each([
      ["a file without a length of its own", oggOpus, 3n],
      ["a WAV", wav(7.5), 8n],
      ["a WAV whose header claims another pace", wav(8, { pace: 0x7fff_ffff }), 129n],
    ])("the hold for %s covers the longest that it can be", async (_, file, seconds) => {
      const own = await stack.newAccount(1);
      const answering = post(formOf(file, { model: "test-hear-held" }), own.key);
      const isHeld = async () => {
        expect((await readBooks(stack, own)).held).toBe(seconds * 100_000n);
      };
      await eventually(isHeld, { timeout: 10_000 });
      expect((await answering).status).toBe(200);
    });

    test("502 where a provider reports an error in a 200, unbilled", async () => {
      const answer = await ask({ model: "test-hear-erring" });
      expectEnvelope(answer, 502, "upstream_rejected");
      expect(await entryOf(stack, account, requestIdOf(answer))).toMatchObject({ kind: "failure" });
    });

    test("503 when no provider can be reached", async () => {
      expectEnvelope(await ask({ model: "test-hear-dead" }), 503, "no_provider_available");
    });

    test("a retry with the same idempotency key runs again", async () => {
      const before = stack.simulator.journal.list().length;
      for (const _ of [1, 2]) {
        const response = await fetch(url(), {
          method: "POST",
          headers: { authorization: `Bearer ${account.key}`, "idempotency-key": "again" },
          body: formOf(wav(1), { model: "test-hear" }),
        });
        expect(response.status).toBe(200);
        expect(response.headers.get("idempotency-replayed")).toBeNull();
      }
      expect(stack.simulator.journal.list()).toHaveLength(before + 2);
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
      const response = await fetch(url(), {
        method: "POST",
        headers: {
          authorization: `Bearer ${account.key}`,
          "x-tollgate-account-id": "acct_other",
          "x-tollgate-request-id": "req_forged",
          "x-request-id": "forged",
        },
        body: formOf(wav(1), { model: "test-hear" }),
      });
      const requestId = response.headers.get("x-request-id");
      expect(requestId).toMatch(/^req_[0-9a-f]{32}$/);
      await response.text();
      await entryOf(stack, account, requestId);
    });
  });

  describe("refusals", () => {
    test.each<[string, Fields, string, string]>([
      ["an unknown field", { foo: "1" }, "unknown_param", "foo"],
      [
        "granularities",
        { "timestamp_granularities[]": "word" },
        "unknown_param",
        "timestamp_granularities[]",
      ],
      ["an unknown field before a bad one", { foo: "1", model: "" }, "unknown_param", "foo"],
      ["an empty model", { model: "" }, "invalid_param", "model"],
      ["stream 1", { stream: "1" }, "invalid_param", "stream"],
      ["a language in a stream", { stream: "true", language: "de" }, "invalid_param", "language"],
    ])("%s is a 400 that names the field", async (_, fields, code, param) => {
      const before = stack.simulator.journal.list().length;
      expectEnvelope(await ask(fields), 400, code, param);
      expect(stack.simulator.journal.list()).toHaveLength(before);
    });

    test("no file, no model, a file as text and a field as a file", async () => {
      expectEnvelope(await post(formOf(undefined, { model: "x" })), 400, "invalid_param", "file");
      expectEnvelope(await post(formOf(wav(1), {})), 400, "invalid_param", "model");
      const text = formOf(undefined, { model: "test-hear", file: "text" });
      expectEnvelope(await post(text), 400, "invalid_param", "file");
      const file = formOf(wav(1), {});
      file.append("model", new Blob(["test-hear"]), "model.txt");
      expectEnvelope(await post(file), 400, "invalid_param", "model");
    });

    test("a field or a file that comes twice", async () => {
      const twice = formOf(wav(1), { model: "test-hear" });
      twice.append("model", "other");
      expectEnvelope(await post(twice), 400, "invalid_param", "model");
      for (const name of ["prompt", "response_format", "temperature"]) {
        const again = formOf(wav(1), { model: "test-hear", [name]: "1" });
        again.append(name, "2");
        expectEnvelope(await post(again), 400, "invalid_param", name);
        const asFile = formOf(wav(1), { model: "test-hear" });
        asFile.append(name, new Blob(["x"]), "x.txt");
        expectEnvelope(await post(asFile), 400, "invalid_param", name);
      }
      const files = formOf(wav(1), { model: "test-hear" });
      files.append("file", new Blob(["x"]), "b.wav");
      expectEnvelope(await post(files), 400, "invalid_param", "file");
    });

    test("what is no form, is cut off, or has a part without a name", async () => {
      const key = account.key;
      expectEnvelope(await send(url(), { key, body: { model: "x" } }), 400, "invalid_json");
      const headers = { "content-type": "multipart/form-data; boundary=b" };
      const cut = `--b\r\n${named("model")}\r\n\r\ntest-he`;
      expectEnvelope(await send(url(), { key, body: cut, headers }), 400, "invalid_json");
      const nameless = await rawForm([
        { head: named("model"), contents: "test-hear" },
        { head: "Content-Disposition: form-data", contents: "lost" },
      ]);
      expectEnvelope(nameless, 400, "invalid_json");
    });

    test("401, 402, 403 and 404 as everywhere, a query by its name", async () => {
      const form = () => formOf(wav(1), { model: "test-hear" });
      expectEnvelope(await post(form(), "sk-tollgate-x"), 401, "invalid_api_key");
      const poor = await stack.newAccount(0);
      expectEnvelope(await post(form(), poor.key), 402, "credit_balance_exhausted");
      await stack.operator.revokeKey({ keyId: poor.keyId });
      await eventually(async () => {
        expectEnvelope(await post(form(), poor.key), 403, "key_revoked");
      });
      for (const model of ["nobody", "test-small", "test-hear-internal"]) {
        expectEnvelope(await ask({ model }), 404, "model_not_found", "model");
      }
      const options = { key: account.key, body: "x", headers: { "content-type": "text/plain" } };
      expectEnvelope(await send(`${url()}?x=1`, options), 400, "unknown_param", "x");
    });

    test("25 MiB are taken, one byte more is 413, with and without a length", async () => {
      const around = await new Response(
        formOf(Buffer.alloc(0), { model: "test-hear" }),
      ).arrayBuffer();
      const most = 25 * mebibyte - around.byteLength;
      expect((await ask({}, Buffer.alloc(most))).status).toBe(200);
      const over = Buffer.alloc(most + 1);
      expectEnvelope(await ask({}, over), 413, "request_too_large", "file");
      const form = new Response(formOf(over, { model: "test-hear" }));
      const chunked = await fetch(url(), {
        method: "POST",
        headers: {
          authorization: `Bearer ${account.key}`,
          "content-type": form.headers.get("content-type") ?? "",
        },
        body: form.body,
        duplex: "half",
      } as RequestInit);
      expect(chunked.status).toBe(413);
    });

    test("a client that sends far too much, without a length, still reads its 413", async () => {
      const socket = connect(Number(new URL(stack.url).port), "127.0.0.1");
      let text = "";
      let failure: Error | undefined;
      socket.on("data", (part) => {
        text += String(part);
      });
      socket.on("error", (error) => {
        failure = error;
      });
      const head = [
        "POST /v1/audio/transcriptions HTTP/1.1",
        "host: x",
        `authorization: Bearer ${account.key}`,
        "content-type: multipart/form-data; boundary=b",
        "transfer-encoding: chunked",
        "connection: close",
      ];
      socket.write(`${head.join("\r\n")}\r\n\r\n`);
      const first = `--b\r\n${named("file", '; filename="a"')}\r\n\r\n`;
      socket.write(`${first.length.toString(16)}\r\n${first}\r\n`);
      const block = Buffer.concat([
        Buffer.from("100000\r\n"),
        Buffer.alloc(mebibyte),
        Buffer.from("\r\n"),
      ]);
      const closed = new Promise((resolve) => socket.once("close", resolve));
      for (let sent = 0; sent < 40 && !socket.destroyed; sent += 1) {
        const drained = new Promise((resolve) => socket.once("drain", resolve));
        if (!socket.write(block)) await Promise.race([drained, closed]);
      }
      socket.end("0\r\n\r\n");
      await eventually(() => expect(text).toContain("request_too_large"), { timeout: 10_000 });
      expect(text).toMatch(/^HTTP\/1\.1 413 /);
      expect(failure).toBeUndefined();
      socket.destroy();
    });
  });

  describe("as events", () => {
    test("a ping, partials, finals and the refinement, then [DONE]; billed by the finals", async () => {
      const answer = await ask({ stream: "true" }, wav(5));
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
      expect(answer.text.startsWith(": ping\n\ndata: ")).toBe(true);
      const events = eventsOf(answer.text) as { type: string; duration?: number; lang?: string }[];
      expect(events.at(-1)).toBe("[DONE]");
      const finals = events.filter(({ type }) => type === "transcription.final");
      expect(finals.map(({ duration }) => duration)).toEqual([2, 2, 1]);
      expect(events.filter(({ type }) => type === "transcription.partial")).toHaveLength(10);
      expect(events.at(-2)).toMatchObject({ type: "transcription.refine", lang: "en" });
      expect(await entryOf(stack, account, requestIdOf(answer))).toMatchObject({
        unitType: "audio_seconds",
        quantity: 5n,
        basis: "provider",
        amountNanoUsd: -500_000n,
      });
    });

    test("the provider is sent the samples alone, whatever is around them", async () => {
      const samples = pcm(1);
      const junk = wav(1, { junk: 300 });
      await ask({ stream: "true" }, junk);
      await eventually(() => expect(lastCall()?.upload?.bytes).toBe(bytesPerSecond));
      await ask({ stream: "true" }, wav(1, { trailer: 64_000 }));
      await eventually(() => expect(lastCall()?.upload?.bytes).toBe(bytesPerSecond));
      await ask({ stream: "true" }, samples, "audio/L16; rate=16000; channels=1");
      await eventually(() => expect(lastCall()?.upload?.sha256).toBe(sha256(samples)));
    });

    test("without durations the uploaded audio is what is billed", async () => {
      const answer = await ask({ model: "test-hear-no-durations", stream: "true" }, wav(2.2));
      expect(await entryOf(stack, account, requestIdOf(answer))).toMatchObject({
        quantity: 3n,
        basis: "pcm_bytes",
      });
      const tail = wav(2.2, { trailer: 640_000 });
      const tailed = await ask({ model: "test-hear-no-durations", stream: "true" }, tail);
      expect(await entryOf(stack, account, requestIdOf(tailed))).toMatchObject({ quantity: 3n });
      const mute = await ask({ model: "test-hear-mute", stream: "true" }, wav(4));
      expect(mute.text).toBe(": ping\n\ndata: [DONE]\n\n");
      expect(await entryOf(stack, account, requestIdOf(mute))).toMatchObject({
        quantity: 4n,
        basis: "pcm_bytes",
      });
    });

    test("a provider that stays open but silent ends cleanly", async () => {
      const answer = await ask({ model: "test-hear-open", stream: "true" }, wav(2));
      expect(eventsOf(answer.text).at(-1)).toBe("[DONE]");
    });

    test("events that come late still come", async () => {
      const answer = await ask({ model: "test-hear-late", stream: "true" }, wav(1));
      expect(answer.text).toContain("transcription.refine");
    });

    test.each([
      "test-hear-dying",
      "test-hear-dead-at-once",
      "test-hear-reporting",
    ])("%s: one last event is the error, no [DONE], unbilled", async (model) => {
      const answer = await ask({ model, stream: "true" }, wav(5));
      expect(answer.status).toBe(200);
      const events = eventsOf(answer.text);
      expect(events.at(-1)).toMatchObject({ error: { code: "upstream_rejected" } });
      expect(events).not.toContain("[DONE]");
      expect(await entryOf(stack, account, requestIdOf(answer))).toMatchObject({
        kind: "failure",
        amountNanoUsd: 0n,
      });
    });

    test("a provider that refuses is 502, one that is out of reach or busy alike", async () => {
      const refused = await ask({ model: "test-hear-refused", stream: "true" });
      expectEnvelope(refused, 502, "upstream_rejected");
      expectEnvelope(
        await ask({ model: "test-hear-dead", stream: "true" }),
        503,
        "no_provider_available",
      );
    });

    test.each([
      ["FLAC", flac, "audio/flac"],
      ["44.1 kHz", wav(1, { rate: 44_100 }), "audio/wav"],
      ["stereo", wav(1, { channels: 2 }), "audio/wav"],
      ["8 bit", wav(1, { bits: 8 }), "audio/wav"],
      ["a-law", wav(1, { format: 6 }), "audio/wav"],
      ["a broken WAV", wav(1).subarray(0, 20), "audio/wav"],
      ["raw audio at another rate", pcm(1), "audio/L16; rate=8000"],
      ["raw audio in stereo", pcm(1), "audio/L16; rate=16000; channels=2"],
      ["audio that only says it is a WAV", pcm(1), "audio/wav"],
    ])("%s is an unsupported format", async (_, file, type) => {
      const form = [
        { head: named("model"), contents: "test-hear" },
        { head: named("stream"), contents: "true" },
        { head: `${named("file", '; filename="a"')}\r\nContent-Type: ${type}`, contents: file },
      ];
      expectEnvelope(await rawForm(form), 400, "unsupported_audio_format", "file");
    });

    test("an alias that takes whole files alone says so", async () => {
      const answer = await ask({ model: "test-hear-files", stream: "true" });
      expectEnvelope(answer, 400, "invalid_param", "stream");
    });

    test("a client that leaves is billed for what it was sent", async () => {
      const leaving = new AbortController();
      const response = await fetch(url(), {
        method: "POST",
        headers: { authorization: `Bearer ${account.key}` },
        body: formOf(wav(20), { model: "test-hear-late", stream: "true" }),
        signal: leaving.signal,
      });
      const reader = response.body?.getReader();
      let text = "";
      while (!text.includes("transcription.final")) {
        text += Buffer.from((await reader?.read())?.value ?? []).toString();
      }
      leaving.abort();
      const headers = response.headers;
      const entry = await entryOf(
        stack,
        account,
        requestIdOf({ status: 200, headers, text, body: undefined }),
      );
      expect(entry).toMatchObject({ kind: "usage", basis: "provider" });
    });
  });
});
