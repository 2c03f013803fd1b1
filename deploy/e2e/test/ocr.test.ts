import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { entryOf, expectBooksInOrder, readBooks } from "../src/ledger-books.ts";
import { type OcrClient, ocrClient } from "../src/ocr-client.ts";
import { image, model, type Part, pdf } from "../src/ocr-form.ts";
import { lastUpload, sha256 } from "../src/provider-uploads.ts";
import { expectEnvelope, requestIdOf, send } from "../src/request.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";

const mebibyte = 1024 * 1024;

/** A form as clients make it. */
function formOf(alias: string, contents: Buffer): FormData {
  const form = new FormData();
  form.append("model", alias);
  form.append("file", new Blob([new Uint8Array(contents)]), "x.png");
  return form;
}

describe("OCR at once", () => {
  let stack: Stack;
  let account: Account;
  let ocr: OcrClient;

  beforeAll(async () => {
    stack = await startStack();
    account = await stack.newAccount(10);
    ocr = ocrClient(stack, account);
  });

  afterAll(async () => {
    await expectBooksInOrder(stack);
    await stack.stop();
  });

  test("the form goes to the provider byte for byte, the answer comes back so", async () => {
    const parts = [image, model("test-read"), { name: "language", contents: "de" }, image];
    const answer = await ocr.ask(parts);
    expect([answer.status, answer.text]).toEqual([200, '{\n "text": "simulated text"\n}\n']);
    expect(lastUpload(stack)).toMatchObject({
      contentType: answer.sent.type,
      sha256: answer.sent.sha256,
    });
    expect(await entryOf(stack, account, requestIdOf(answer))).toMatchObject({
      unitType: "pages",
      quantity: 2n,
      basis: "file_parts",
      amountNanoUsd: -3_000_000n,
    });
  });

  test.each([
    ["test-read-pages", 7n],
    ["test-read-list", 4n],
  ])("%s bills the pages that the card reports", async (alias, quantity) => {
    const answer = await ocr.ask([model(alias), pdf(3)]);
    expect(await entryOf(stack, account, requestIdOf(answer))).toMatchObject({
      quantity,
      basis: "provider",
    });
  });

  test.each<[string, Part[], bigint]>([
    ["images", [image, image], 2n],
    ["a PDF", [pdf(3)], 3n],
    ["a PDF behind a blank line", [{ ...pdf(3), contents: `\n${pdf(3).contents}` }], 3n],
    ["a PDF that hides its pages", [{ ...image, contents: "%PDF-1.5 packed" }], 100n],
  ])("the hold for %s covers the most pages that they can have", async (_, files, pages) => {
    const own = await stack.newAccount(1);
    const answering = ocr.ask([...files, model("test-read-slow")], own.key);
    const isHeld = async () => {
      expect((await readBooks(stack, own)).held).toBe(pages * 1_500_000n);
    };
    await eventually(isHeld, { timeout: 10_000 });
    expect((await answering).status).toBe(200);
  });

  test.skipIf(spawnSync("curl", ["--version"]).error !== undefined)(
    "curl -F sends a form that is read",
    async () => {
      const { stdout } = await promisify(execFile)("curl", [
        ...[
          "-s",
          "-F",
          "model=test-read",
          "-F",
          `file=@${fileURLToPath(import.meta.url)};type=image/png`,
        ],
        ...["-H", `authorization: Bearer ${account.key}`, `${stack.url}/v1/ocr`],
      ]);
      expect(JSON.parse(stdout)).toEqual({ text: "simulated text" });
    },
  );

  test("a large form passes whole", async () => {
    const big = { ...image, contents: Buffer.alloc(24 * mebibyte, 7) };
    const answer = await ocr.ask([big, model("test-read")]);
    expect(answer.status).toBe(200);
    expect(lastUpload(stack)?.sha256).toBe(answer.sent.sha256);
  });

  test("the lane's own mode and both ends of diplomatic are taken", async () => {
    for (const [alias, mode] of [
      ["test-read", "print"],
      ["test-read-archival", "archival"],
    ] as const) {
      for (const diplomatic of ["t", "f"]) {
        const fields = [
          { name: "mode", contents: mode },
          { name: "diplomatic", contents: diplomatic },
        ];
        expect((await ocr.ask([image, model(alias), ...fields])).status).toBe(200);
      }
    }
  });

  test.each([
    "test-read-failing",
    "test-read-erring",
    "test-read-failed",
  ])("%s: a failure leaves a row at no cost", async (alias) => {
    const answer = await ocr.ask([image, model(alias)]);
    expectEnvelope(answer, 502, "upstream_rejected");
    expect(await entryOf(stack, account, requestIdOf(answer))).toMatchObject({
      kind: "failure",
      amountNanoUsd: 0n,
    });
  });

  test("an error in a 200 is passed over for the next slot's answer, which alone is billed", async () => {
    const answer = await ocr.ask([image, model("test-read-erring-first")]);
    expect(answer.body).toEqual({ text: "simulated text", pages: 2 });
    expect(await entryOf(stack, account, requestIdOf(answer))).toMatchObject({
      kind: "usage",
      quantity: 2n,
      amountNanoUsd: -3_000_000n,
    });
  });

  test("an odd but legal form passes: quoted boundary, folded names, preamble and epilogue", async () => {
    const boundary = "'()+_,-./:=? x";
    const body = [
      "a preamble",
      `--${boundary}`,
      'content-disposition: FORM-DATA; filename="quo\\"ted; ü.png"; name="file"',
      "Content-Type: image/png",
      "X-Custom: more",
      "",
      "--bytes--",
      `--${boundary}`,
      "Content-Disposition: form-data; name=model",
      "",
      "test-read",
      `--${boundary}--`,
      "an epilogue",
      "",
    ].join("\r\n");
    const headers = { "content-type": `multipart/form-data; boundary="${boundary}"` };
    const answer = await send(`${stack.url}/v1/ocr`, { key: account.key, body, headers });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    expect(lastUpload(stack)?.sha256).toBe(sha256(body));
  });

  test("100 uploads at once stay within little memory", async () => {
    const before = stack.memoryBytes();
    const big = { ...image, contents: Buffer.alloc(5 * mebibyte, 7) };
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => ocr.ask([big, model("test-read-many")])),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(stack.memoryBytes() - before).toBeLessThan(300_000_000);
  }, 180_000);

  test("a form in chunks of one byte passes whole, at little cost", async () => {
    const form = new Response(formOf("test-read", Buffer.alloc(200_000, 7)));
    const body = Buffer.from(await form.arrayBuffer());
    const request = httpRequest(`${stack.url}/v1/ocr`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${account.key}`,
        "content-type": form.headers.get("content-type") ?? "",
        "transfer-encoding": "chunked",
      },
    });
    const before = stack.memoryBytes();
    const startedAt = performance.now();
    const answered = once(request, "response") as Promise<[IncomingMessage]>;
    for (let at = 0; at < body.length; at += 1) {
      if (request.write(body.subarray(at, at + 1))) continue;
      await once(request, "drain");
    }
    request.end();
    const [answer] = await answered;
    expect(answer.statusCode).toBe(200);
    answer.resume();
    expect(lastUpload(stack)?.sha256).toBe(sha256(body));
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(stack.memoryBytes() - before).toBeLessThan(150_000_000);
  });

  test("a retry with the same idempotency key runs again", async () => {
    const before = stack.simulator.calls.list().length;
    for (const _ of [1, 2]) {
      const form = formOf("test-read", Buffer.from("x"));
      const response = await fetch(`${stack.url}/v1/ocr`, {
        method: "POST",
        headers: { authorization: `Bearer ${account.key}`, "idempotency-key": "again" },
        body: form,
      });
      expect(response.headers.get("idempotency-replayed")).toBeNull();
      expect(response.status).toBe(200);
    }
    expect(stack.simulator.calls.list()).toHaveLength(before + 2);
  });
});
