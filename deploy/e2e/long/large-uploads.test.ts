import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wav } from "../src/audio-files.ts";
import { expectBalancedLedger } from "../src/ledger.ts";
import { send } from "../src/request.ts";
import { type OwnStack, startStack, type TestAccount } from "../src/stack.ts";

let stack: OwnStack;
let account: TestAccount;

beforeAll(async () => {
  stack = await startStack();
  account = await stack.newAccount(10);
});

afterAll(async () => {
  await expectBalancedLedger(stack);
  await stack.stop();
});

test.each([
  ["/v1/ocr", "test-read-after-nowhere"],
  ["/v1/ocr", "test-read-after-busy"],
  ["/v1/ocr/jobs", "test-read-after-nowhere"],
  ["/v1/ocr/jobs", "test-read-after-busy"],
  ["/v1/audio/transcriptions", "test-hear-after-nowhere"],
  ["/v1/audio/transcriptions", "test-hear-after-busy"],
])("%s of %s: a large upload reaches the slot that serves it in full", async (path, model) => {
  const file = new Uint8Array(wav(100));
  const form = new FormData();
  form.append("model", model);
  form.append("file", new Blob([file], { type: "audio/wav" }), "a.wav");
  const written = new Response(form);
  const body = new Uint8Array(await written.arrayBuffer());
  const headers = { "content-type": written.headers.get("content-type") ?? "" };
  for (const _ of [1, 2]) {
    const response = await send(`${stack.url}${path}`, { key: account.key, body, headers });
    expect(response.status).toBeLessThan(300);
    // Documents are passed on as the form, audio as the file.
    const sent = path === "/v1/audio/transcriptions" ? file : body;
    const sha256 = createHash("sha256").update(sent).digest("hex");
    expect(stack.simulator.calls.list().at(-1)?.upload).toMatchObject({ sha256 });
  }
});
