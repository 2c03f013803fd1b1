import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { entryOf, readWalletRow } from "../src/ledger.ts";
import { ocrClient } from "../src/ocr-client.ts";
import { imageFile, modelField, type OcrPart, pdf } from "../src/ocr-form.ts";
import { metricSum } from "../src/process-metrics.ts";
import { lastUpload, sha256 } from "../src/provider-uploads.ts";
import { expectEnvelope, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const mebibyte = 1024 * 1024;

/** Returns a form as clients send it. */
function formOf(alias: string, contents: Buffer): FormData {
  const form = new FormData();
  form.append("model", alias);
  form.append("file", new Blob([new Uint8Array(contents)]), "x.png");
  return form;
}

const { stack, account } = await sharedStack({ creditUsd: 10 });
/** Resolves with the CPU time of all processes: a busy machine does not add to it as to the elapsed time. */
const cpuSeconds = () => metricSum(stack.operationsUrls, "process_cpu_seconds_total");
const ocr = ocrClient(stack, account);

describe("synchronous OCR", () => {
  test("the form and the response are passed on byte for byte", async () => {
    const parts = [
      imageFile,
      modelField("test-read"),
      { name: "language", contents: "de" },
      imageFile,
    ];
    const response = await ocr.read(parts);
    expect([response.status, response.text]).toEqual([200, '{\n "text": "simulated text"\n}\n']);
    expect(lastUpload(stack)).toMatchObject({
      contentType: response.sent.type,
      sha256: response.sent.sha256,
    });
    expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({
      unitType: "pages",
      quantity: 2n,
      basis: "file_parts",
      amountNanoUsd: -3_000_000n,
    });
  });

  test.each([
    ["test-read-pages", 7n],
    ["test-read-list", 4n],
  ])("%s bills the pages that the provider reports", async (alias, quantity) => {
    const response = await ocr.read([modelField(alias), pdf(3)]);
    expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({
      quantity,
      basis: "provider",
    });
  });

  test("pages that are not reported are those of the files, where the model says so", async () => {
    const response = await ocr.read([modelField("test-read-measured"), pdf(3), imageFile]);
    expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({
      quantity: 4n,
      basis: "page_tree",
      amountNanoUsd: -6_000_000n,
    });
  });

  test.each<[string, OcrPart[], bigint]>([
    ["images", [imageFile, imageFile], 2n],
    ["a PDF", [pdf(3)], 3n],
    ["a PDF after a blank line", [{ ...pdf(3), contents: `\n${pdf(3).contents}` }], 3n],
    ["a PDF with compressed pages", [{ ...imageFile, contents: "%PDF-1.5 packed" }], 100n],
  ])("the hold for %s covers the most pages that they can have", async (_, files, pages) => {
    const own = await stack.newAccount(1);
    const since = stack.simulator.calls.list().at(-1)?.seq ?? 0;
    const pending = ocr.read([...files, modelField("test-read-slow")], own.key);
    // The hold comes before the call, which can be released only once the provider has it.
    await eventually(() => expect(stack.simulator.calls.list({ since })).toHaveLength(1));
    expect((await readWalletRow(stack, own)).held).toBe(pages * 1_500_000n);
    stack.simulator.release();
    expect((await pending).status).toBe(200);
  });

  test.skipIf(spawnSync("curl", ["--version"]).error !== undefined)(
    "a form of curl -F is accepted",
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

  test("a large form passes in full", async () => {
    const big = { ...imageFile, contents: Buffer.alloc(24 * mebibyte, 7) };
    const response = await ocr.read([big, modelField("test-read")]);
    expect(response.status).toBe(200);
    expect(lastUpload(stack)?.sha256).toBe(response.sent.sha256);
  });

  test("the lane's own mode and both values of diplomatic are accepted", async () => {
    for (const [alias, mode] of [
      ["test-read", "print"],
      ["test-read-archival", "archival"],
    ] as const) {
      for (const diplomatic of ["t", "f"]) {
        const fields = [
          { name: "mode", contents: mode },
          { name: "diplomatic", contents: diplomatic },
        ];
        expect((await ocr.read([imageFile, modelField(alias), ...fields])).status).toBe(200);
      }
    }
  });

  test.each([
    ["test-read-failing", null],
    ["test-read-erring", null],
    ["test-read-failed", null],
    ["test-read-refused", "false"],
  ])("%s: a failure leaves an entry at no cost, and only a refusal is not to be retried", async (alias, retry) => {
    const response = await ocr.read([imageFile, modelField(alias)]);
    expectEnvelope(response, 502, "upstream_rejected");
    expect(response.headers.get("x-should-retry")).toBe(retry);
    expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({
      kind: "failure",
      amountNanoUsd: 0n,
    });
  });

  test("after an error in a 200 the next slot is called, and only its response is billed", async () => {
    const response = await ocr.read([imageFile, modelField("test-read-erring-first")]);
    expect(response.body).toEqual({ text: "simulated text", pages: 2 });
    expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({
      kind: "usage",
      quantity: 2n,
      amountNanoUsd: -3_000_000n,
    });
  });

  test("an unusual but legal form passes: quoted boundary, mixed-case names, preamble and epilogue", async () => {
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
    const response = await send(`${stack.url}/v1/ocr`, { key: account.key, body, headers });
    expect([response.status, response.text]).toEqual([200, expect.any(String)]);
    expect(lastUpload(stack)?.sha256).toBe(sha256(body));
  });

  test("a form in chunks of one byte passes in full, in little CPU time and memory", async () => {
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
    const cpuBefore = await cpuSeconds();
    const received = once(request, "response") as Promise<[IncomingMessage]>;
    for (let at = 0; at < body.length; at += 1) {
      if (request.write(body.subarray(at, at + 1))) continue;
      await once(request, "drain");
    }
    request.end();
    const [response] = await received;
    expect(response.statusCode).toBe(200);
    response.resume();
    expect(lastUpload(stack)?.sha256).toBe(sha256(body));
    expect((await cpuSeconds()) - cpuBefore).toBeLessThan(10);
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
