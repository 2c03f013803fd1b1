import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wav } from "../src/audio-files.ts";
import { expectBooksInOrder } from "../src/ledger-books.ts";
import { send } from "../src/request.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";

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

test.each([
  ["/v1/ocr", "test-read-after-nowhere"],
  ["/v1/ocr", "test-read-after-busy"],
  ["/v1/ocr/jobs", "test-read-after-nowhere"],
  ["/v1/ocr/jobs", "test-read-after-busy"],
  ["/v1/audio/transcriptions", "test-hear-after-nowhere"],
  ["/v1/audio/transcriptions", "test-hear-after-busy"],
])("%s of %s: an upload of some size goes whole to the slot that serves it", async (path, model) => {
  const file = new Uint8Array(wav(100));
  const form = new FormData();
  form.append("model", model);
  form.append("file", new Blob([file], { type: "audio/wav" }), "a.wav");
  const written = new Response(form);
  const body = new Uint8Array(await written.arrayBuffer());
  const headers = { "content-type": written.headers.get("content-type") ?? "" };
  for (const _ of [1, 2]) {
    const answer = await send(`${stack.url}${path}`, { key: account.key, body, headers });
    expect(answer.status).toBeLessThan(300);
    // Documents go on with their form, audio without.
    const sent = path === "/v1/audio/transcriptions" ? file : body;
    const sha256 = createHash("sha256").update(sent).digest("hex");
    expect(stack.simulator.calls.list().at(-1)?.upload).toMatchObject({ sha256 });
  }
});
