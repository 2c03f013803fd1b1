import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { readWalletRow } from "../src/ledger.ts";
import { sharedStack } from "../src/shared-stack.ts";

const form = "multipart/form-data; boundary=x";
const file = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF';

const { stack, account, expectBooks } = await sharedStack({ creditUsd: 1 });

describe("a client that stops sending its body", () => {
  test.concurrent.each([
    ["/v1/chat/completions", "application/json", '{"model":"test-small",', ""],
    ["/v1/chat/completions", "application/json", '{"model":"test-small",', "idempotency-key: a"],
    ["/v1/audio/transcriptions", form, file, ""],
    ["/v1/ocr", form, file, ""],
  ])("to %s (%s) gets an error with its request id, and pays nothing", async (path, type, body, more) => {
    const { hostname, port } = new URL(stack.url);
    const client = connect(Number(port), hostname);
    const lines = [
      `POST ${path} HTTP/1.1`,
      "host: x",
      `authorization: Bearer ${account.key}`,
      `content-type: ${type}`,
      `content-length: ${body.length + 100}`,
      ...(more === "" ? [] : [more]),
    ];
    await once(client, "connect");
    client.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
    const response = await text(client);
    expect(response).toMatch(/^HTTP\/1\.1 400 [\s\S]*x-request-id: req_/);
    expect(response).toContain('"code":"invalid_json"');
    expect(response).toContain("not received in the time allowed");
    expect(stack.simulator.calls.list()).toEqual([]);
    const { entries } = await readWalletRow(stack, account);
    expect(entries.map(({ kind }) => kind)).toEqual(["top_up"]);
    await expectBooks();
  });
});
