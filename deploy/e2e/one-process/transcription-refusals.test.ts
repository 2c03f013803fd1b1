import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { wav } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import { named } from "../src/raw-form.ts";
import { expectEnvelope, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import {
  audioForm,
  type TranscriptionFields,
  transcriptionClient,
} from "../src/transcription-client.ts";

const mebibyte = 1024 * 1024;

const { stack, account } = await sharedStack({ creditUsd: 10 });
const audio = transcriptionClient(stack, account);

describe("refused transcriptions", () => {
  test.each<[string, TranscriptionFields, string, string]>([
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
    ["a prompt in a stream", { stream: "true", prompt: "names" }, "invalid_param", "prompt"],
    ["a long prompt", { stream: "true", prompt: "p".repeat(100_000) }, "invalid_param", "prompt"],
    ["a format", { response_format: "text", stream: "true" }, "invalid_param", "response_format"],
    ["a temperature", { temperature: "0", stream: "true" }, "invalid_param", "temperature"],
  ])("%s is a 400 that names the field", async (_, fields, code, param) => {
    const before = stack.simulator.calls.list().length;
    expectEnvelope(await audio.transcribe(fields), 400, code, param);
    expect(stack.simulator.calls.list()).toHaveLength(before);
  });

  test("a field that a stream does not take is refused before and after the file, and taken if empty", async () => {
    const file = audioForm(wav(1), { model: "test-hear", stream: "true" });
    file.append("temperature", "0.2");
    expectEnvelope(await audio.post(file), 400, "invalid_param", "temperature");
    const late = audioForm(wav(1), { model: "test-hear", prompt: "names" });
    late.append("stream", "true");
    expectEnvelope(await audio.post(late), 400, "invalid_param", "prompt");
    const empty = {
      stream: "true",
      language: "",
      prompt: "",
      response_format: "",
      temperature: "",
    };
    expect((await audio.transcribe(empty)).status).toBe(200);
  });

  test("a missing file, a missing model, a file as text and a field as a file are refused", async () => {
    expectEnvelope(
      await audio.post(audioForm(undefined, { model: "x" })),
      400,
      "invalid_param",
      "file",
    );
    expectEnvelope(await audio.post(audioForm(wav(1), {})), 400, "invalid_param", "model");
    const text = audioForm(undefined, { model: "test-hear", file: "text" });
    expectEnvelope(await audio.post(text), 400, "invalid_param", "file");
    const file = audioForm(wav(1), {});
    file.append("model", new Blob(["test-hear"]), "model.txt");
    expectEnvelope(await audio.post(file), 400, "invalid_param", "model");
  });

  test("a repeated field or file is refused", async () => {
    const twice = audioForm(wav(1), { model: "test-hear" });
    twice.append("model", "other");
    expectEnvelope(await audio.post(twice), 400, "invalid_param", "model");
    for (const name of ["prompt", "response_format", "temperature"]) {
      const again = audioForm(wav(1), { model: "test-hear", [name]: "1" });
      again.append(name, "2");
      expectEnvelope(await audio.post(again), 400, "invalid_param", name);
      const asFile = audioForm(wav(1), { model: "test-hear" });
      asFile.append(name, new Blob(["x"]), "x.txt");
      expectEnvelope(await audio.post(asFile), 400, "invalid_param", name);
    }
    const files = audioForm(wav(1), { model: "test-hear" });
    files.append("file", new Blob(["x"]), "b.wav");
    expectEnvelope(await audio.post(files), 400, "invalid_param", "file");
  });

  test("a body that is no form, is truncated, or has a part without a name is refused", async () => {
    const key = account.key;
    expectEnvelope(await send(audio.url, { key, body: { model: "x" } }), 400, "invalid_json");
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const cut = `--b\r\n${named("model")}\r\n\r\ntest-he`;
    expectEnvelope(await send(audio.url, { key, body: cut, headers }), 400, "invalid_json");
    const nameless = await audio.postRaw([
      { head: named("model"), contents: "test-hear" },
      { head: "Content-Disposition: form-data", contents: "lost" },
    ]);
    expectEnvelope(nameless, 400, "invalid_json");
  });

  test("401, 402, 403 and 404 as on every route, and a query is refused by name", async () => {
    const form = () => audioForm(wav(1), { model: "test-hear" });
    expectEnvelope(await audio.post(form(), "sk-tollgate-x"), 401, "invalid_api_key");
    const poor = await stack.newAccount(0);
    expectEnvelope(await audio.post(form(), poor.key), 402, "credit_balance_exhausted");
    await stack.operator.revokeKey({ keyId: poor.keyId });
    await eventually(async () => {
      expectEnvelope(await audio.post(form(), poor.key), 403, "key_revoked");
    });
    for (const model of ["nobody", "test-small", "test-hear-internal"]) {
      expectEnvelope(await audio.transcribe({ model }), 404, "model_not_found", "model");
    }
    const options = { key: account.key, body: "x", headers: { "content-type": "text/plain" } };
    expectEnvelope(await send(`${audio.url}?x=1`, options), 400, "unknown_param", "x");
  });

  test("a file of 25 MiB is accepted, one byte more is 413, with and without a content length", async () => {
    expect((await audio.transcribe({}, Buffer.alloc(25 * mebibyte))).status).toBe(200);
    const over = Buffer.alloc(25 * mebibyte + 1);
    expectEnvelope(await audio.transcribe({}, over), 413, "request_too_large", "file");
    const form = new Response(audioForm(over, { model: "test-hear" }));
    const chunked = await fetch(audio.url, {
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

  test("a client that sends far too much without a content length still reads its 413", async () => {
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
