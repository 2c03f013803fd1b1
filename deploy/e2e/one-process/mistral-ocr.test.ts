import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { entryOf, readWalletRow } from "../src/ledger.ts";
import { ocrClient } from "../src/ocr-client.ts";
import { imageFile, modelField, type OcrPart, pdf } from "../src/ocr-form.ts";
import { sha256 } from "../src/provider-uploads.ts";
import { expectEnvelope, requestIdOf } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import type { TestAccount } from "../src/stack.ts";

const dataUrl = (type: string, { contents }: OcrPart) =>
  `data:${type};base64,${Buffer.from(contents).toString("base64")}`;

const { stack, account, expectBooks, lastCall } = await sharedStack({ creditUsd: 10 });
const ocr = ocrClient(stack, account);

describe("OCR with a provider of the kind mistral", () => {
  const callsAfter = (seq: number) => stack.simulator.calls.list({ since: seq });
  const lastSeq = () => stack.simulator.calls.list().at(-1)?.seq ?? 0;

  test.each([
    ["a PDF", pdf(3), "document_url", "application/pdf", 3n, -4_500_000n],
    ["an image", imageFile, "image_url", "image/png", 1n, -1_500_000n],
  ] as const)("%s is a document of Mistral's, and its pages are billed", async (...one) => {
    const [, file, member, type, quantity, amountNanoUsd] = one;
    const response = await ocr.read([modelField("test-mistral-read"), file]);
    expect(response.status).toBe(200);
    const call = lastCall();
    expect(call).toMatchObject({
      route: "/mistral/v1/ocr",
      authorized: true,
      requestId: requestIdOf(response),
      upload: { contentType: type, sha256: sha256(file.contents) },
    });
    expect(call.body).toEqual({
      model: "mistral-ocr-latest",
      document: { type: member, [member]: dataUrl(type, file) },
    });
    expect(response.body).toMatchObject({
      pages: Array.from({ length: Number(quantity) }, (_, index) => ({
        index,
        markdown: `# Page ${index}`,
      })),
      model: "mistral-ocr-latest",
      usage_info: { pages_processed: Number(quantity) },
    });
    // Byte for byte as the provider sends it.
    expect(response.text).toBe(`${JSON.stringify(response.body, null, 1)}\n`);
    const entry = await entryOf(stack, account, requestIdOf(response));
    expect(entry).toMatchObject({
      provider: "mistral",
      unitType: "pages",
      quantity,
      basis: "provider",
      amountNanoUsd,
    });
    expect(JSON.parse(entry?.providerUsage ?? "")).toMatchObject({
      pages_processed: Number(quantity),
    });
  });

  test.each([
    ["test-mistral-read-pages", 29n, -43_500_000n],
    ["test-mistral-read-no-usage", 4n, -6_000_000n],
  ])("%s bills the pages that Mistral has processed", async (alias, quantity, amountNanoUsd) => {
    const response = await ocr.read([modelField(alias), pdf(3)]);
    expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({
      quantity,
      basis: "provider",
      amountNanoUsd,
    });
  });

  const jpeg = Buffer.from("ffd8ffe000104a46494600010100", "hex");

  test.each<[string, OcrPart, string]>([
    ["a PDF", { ...pdf(1), type: "application/octet-stream" }, "application/pdf"],
    ["a JPEG", { name: "file", contents: jpeg, type: "application/octet-stream" }, "image/jpeg"],
    [
      "a JPEG, declared as a PNG",
      { name: "file", contents: jpeg, type: "image/png" },
      "image/jpeg",
    ],
    ["an image with parameters", { ...imageFile, type: "image/jpg; q=1" }, "image/jpeg"],
    ["an empty first line", { ...pdf(1), contents: `\n${pdf(1).contents}` }, "application/pdf"],
  ])("a file is sent with its own type: %s", async (_, file, contentType) => {
    const response = await ocr.read([file, modelField("test-mistral-read")]);
    expect(response.status).toBe(200);
    const hash = sha256(file.contents);
    expect(lastCall().upload).toMatchObject({ contentType, sha256: hash });
  });

  test("a large document is sent in full", async () => {
    // Not a multiple of three, so that base64 pads it, and larger than what is read at once.
    const contents = Buffer.concat([
      Buffer.from("%PDF-1.4 <</Type /Page>>"),
      Buffer.alloc(20_000_000, 7),
    ]);
    const response = await ocr.read([{ ...pdf(1), contents }, modelField("test-mistral-read")]);
    expect(response.status).toBe(200);
    const { upload } = lastCall();
    expect(upload).toMatchObject({ bytes: contents.length, sha256: sha256(contents) });
  });

  test.each<[string, OcrPart[], string, RegExp]>([
    [
      "diplomatic",
      [imageFile, { name: "diplomatic", contents: "t" }],
      "diplomatic",
      /leave it out/,
    ],
    ["language", [imageFile, { name: "language", contents: "de" }], "language", /leave it out/],
    ["two files", [imageFile, imageFile], "file", /must be sent once/],
    ["a text", [{ name: "file", contents: "hello", type: "text/plain" }], "file", /PDF.*png/],
    ["a drawing", [{ name: "file", contents: "<svg/>", type: "image/svg+xml" }], "file", /PDF/],
    ["no PDF", [{ name: "file", contents: "hello", type: "application/pdf" }], "file", /PDF/],
    ["nothing known", [{ name: "file", contents: "a", type: "a/b" }], "file", /PDF/],
  ])("what Mistral cannot be sent is refused by name, before a provider is called: %s", async (...one) => {
    const [, parts, param, message] = one;
    const before = lastSeq();
    for (const alias of ["test-mistral-read", "test-mistral-read-second"]) {
      for (const path of ["/v1/ocr", "/v1/ocr/jobs"]) {
        const response = await ocr.post(path, [...parts, modelField(alias)]);
        expectEnvelope(response, 400, "invalid_param", param);
        expect(response.text).toMatch(message);
      }
    }
    expect(callsAfter(before)).toEqual([]);
    expect((await readWalletRow(stack, account)).held).toBe(0n);
  });

  test("the lane's own mode and an empty language are accepted", async () => {
    const fields = [
      { name: "mode", contents: "print" },
      { name: "language", contents: "" },
    ];
    expect((await ocr.read([...fields, imageFile, modelField("test-mistral-read")])).status).toBe(
      200,
    );
  });

  test("the hold covers the most pages that a PDF can have", async () => {
    const own = await stack.newAccount(1);
    const pending = ocr.read([pdf(3), modelField("test-mistral-read-slow")], own.key);
    await eventually(async () => {
      expect((await readWalletRow(stack, own)).held).toBe(4_500_000n);
    });
    stack.simulator.release();
    expect((await pending).status).toBe(200);
  });

  test.each([
    ["test-mistral-read-limited", "sim", 2n, -4_000_000n, [429, 200]],
    ["test-mistral-read-overloaded", "sim", 2n, -4_000_000n, [503, 200]],
    ["test-mistral-read-second", "mistral", 3n, -4_500_000n, [503, 200]],
  ] as const)("%s goes on to the next slot, of another kind, at its price", async (...one) => {
    const [alias, provider, quantity, amountNanoUsd, statuses] = one;
    const before = lastSeq();
    const response = await ocr.read([pdf(3), modelField(alias)]);
    expect(response.status).toBe(200);
    expect(callsAfter(before).map(({ status }) => status)).toEqual(statuses);
    expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({
      provider,
      quantity,
      amountNanoUsd,
    });
    const forwarded = callsAfter(before).find(({ route }) => route === "/v1/ocr");
    expect(forwarded?.upload).toMatchObject({
      contentType: response.sent.type,
      sha256: response.sent.sha256,
    });
  });

  test("overloads take the slot out, and the next one is called at once", async () => {
    const before = lastSeq();
    for (const _ of Array.from({ length: 6 })) {
      expect((await ocr.read([imageFile, modelField("test-mistral-read-tripped")])).status).toBe(
        200,
      );
    }
    const statuses = callsAfter(before).map(({ status }) => status);
    expect(statuses.filter((status) => status === 529)).toHaveLength(5);
    expect(statuses.slice(-2)).toEqual([200, 200]);
  });

  test.each([
    ["test-mistral-read-down", 503, "no_provider_available", null, ""],
    ["test-mistral-read-failing", 502, "upstream_rejected", null, ""],
    ["test-mistral-read-pageless", 502, "upstream_rejected", null, ""],
    ["test-mistral-read-invalid", 502, "upstream_rejected", "false", "too many pages"],
  ])("%s fails, which costs nothing", async (alias, status, code, retry, said) => {
    const response = await ocr.read([imageFile, modelField(alias)]);
    expectEnvelope(response, status, code);
    expect(response.headers.get("x-should-retry")).toBe(retry);
    expect(response.text).toContain(said);
    expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({
      kind: "failure",
      amountNanoUsd: 0n,
    });
  });

  describe("has jobs", () => {
    const jobIdOf = ({ body }: HttpResponse) => (body as { job_id: string }).job_id;

    async function entriesOf(owner: TestAccount, alias: string) {
      await expectBooks();
      const { entries } = await stack.operator.listLedger({ account: owner.accountId, limit: 999 });
      return entries.filter((entry) => entry.alias === alias);
    }

    test("which are batch jobs: created and read while they run for nothing, and billed when done", async () => {
      const own = await stack.newAccount(1);
      const file = pdf(3);
      const created = await ocr.createJob([file, modelField("test-mistral-read")], own.key);
      expect([created.status, created.body]).toEqual([
        202,
        { job_id: expect.stringMatching(/^[0-9a-f-]{36}$/), status: "queued" },
      ]);
      expect(lastCall()).toMatchObject({
        route: "/mistral/v1/batch/jobs",
        authorized: true,
        requestId: requestIdOf(created),
      });
      const document = {
        type: "document_url",
        document_url: dataUrl("application/pdf", file),
      };
      expect(lastCall().body).toEqual({
        endpoint: "/v1/ocr",
        model: "mistral-ocr-latest",
        requests: [{ custom_id: "0", body: { document } }],
      });
      const jobId = jobIdOf(created);
      const running = await ocr.readJob(jobId, "test-mistral-read", own.key);
      expect(running.body).toEqual({ job_id: jobId, status: "running" });
      expect(await entriesOf(own, "test-mistral-read")).toEqual([]);
      const done = await ocr.readJob(jobId, "test-mistral-read", own.key);
      expect(done.body).toMatchObject({
        job_id: jobId,
        status: "completed",
        pages: [{ index: 0, markdown: "# Page 0" }, { index: 1 }, { index: 2 }],
        model: "mistral-ocr-latest",
        usage_info: { pages_processed: 3, doc_size_bytes: file.contents.length },
      });
      await eventually(async () => {
        expect(await entriesOf(own, "test-mistral-read")).toMatchObject([
          { kind: "usage", provider: "mistral", quantity: 3n, amountNanoUsd: -4_500_000n },
        ]);
      });
    });

    test("whose results may be in a file", async () => {
      const own = await stack.newAccount(1);
      const created = await ocr.createJob(
        [imageFile, modelField("test-mistral-read-file")],
        own.key,
      );
      const before = lastSeq();
      const done = await ocr.readJob(jobIdOf(created), "test-mistral-read-file", own.key);
      expect(done.body).toMatchObject({
        job_id: jobIdOf(created),
        status: "completed",
        pages: [{}, {}, {}],
        usage_info: { pages_processed: 3 },
      });
      expect(callsAfter(before).map(({ route, authorized }) => [route, authorized])).toEqual([
        [`/mistral/v1/batch/jobs/${jobIdOf(created)}`, true],
        [expect.stringMatching(/^\/mistral\/v1\/files\/[0-9a-f-]{36}\/content$/), true],
      ]);
      await eventually(async () => {
        expect(await entriesOf(own, "test-mistral-read-file")).toMatchObject([
          { quantity: 3n, amountNanoUsd: -4_500_000n },
        ]);
      });
    });

    test("which concurrent and later reads bill once", async () => {
      const own = await stack.newAccount(1);
      const created = await ocr.createJob(
        [imageFile, modelField("test-mistral-read-at-once")],
        own.key,
      );
      const read = () => ocr.readJob(jobIdOf(created), "test-mistral-read-at-once", own.key);
      for (const { body } of await Promise.all([read(), read(), read()])) {
        expect(body).toMatchObject({ status: "completed", usage_info: { pages_processed: 12 } });
      }
      await read();
      await eventually(async () => {
        expect(await entriesOf(own, "test-mistral-read-at-once")).toMatchObject([
          { quantity: 12n, amountNanoUsd: -18_000_000n },
        ]);
      });
      expect((await readWalletRow(stack, own)).balance).toBe(982_000_000n);
    });

    test.each([
      ["test-mistral-read-job-failed", "failed", "The provider's job is FAILED."],
      ["test-mistral-read-job-late", "failed", "The provider's job is TIMEOUT_EXCEEDED."],
      ["test-mistral-read-job-cancelled", "cancelled", "The provider's job is CANCELLED."],
      [
        "test-mistral-read-job-refused",
        "failed",
        "The provider's job ended with 422. It said: no page found",
      ],
      ["test-mistral-read-job-lost", "failed", "The provider's job has no result."],
    ])("of which %s costs nothing and leaves a failure entry", async (alias, status, message) => {
      const own = await stack.newAccount(1);
      const created = await ocr.createJob([imageFile, modelField(alias)], own.key);
      const job_id = jobIdOf(created);
      for (const _ of [1, 2]) {
        const response = await ocr.readJob(job_id, alias, own.key);
        expect(response.body).toEqual({ job_id, status, error: { message } });
      }
      await eventually(async () => {
        expect(await entriesOf(own, alias)).toMatchObject([{ kind: "failure", amountNanoUsd: 0n }]);
      });
    });

    test("which only their account may read", async () => {
      const created = await ocr.createJob([imageFile, modelField("test-mistral-read")]);
      const other = await stack.newAccount(1);
      const before = lastSeq();
      const refused = await ocr.readJob(jobIdOf(created), "test-mistral-read", other.key);
      expectEnvelope(refused, 404, "not_found");
      expect(callsAfter(before)).toEqual([]);
    });

    test("which the next slot creates, of another kind, and is read from there", async () => {
      const own = await stack.newAccount(1);
      const created = await ocr.createJob(
        [imageFile, modelField("test-mistral-read-limited")],
        own.key,
      );
      expect([created.status, created.body]).toMatchObject([202, { status: "queued" }]);
      const done = await ocr.readJob(jobIdOf(created), "test-mistral-read-limited", own.key);
      expect(done.body).toMatchObject({ status: "Completed", pages: 2 });
      await eventually(async () => {
        expect(await entriesOf(own, "test-mistral-read-limited")).toMatchObject([
          { provider: "sim", quantity: 2n, amountNanoUsd: -4_000_000n },
        ]);
      });
      const back = await ocr.createJob(
        [imageFile, modelField("test-mistral-read-second")],
        own.key,
      );
      const running = await ocr.readJob(jobIdOf(back), "test-mistral-read-second", own.key);
      expect(running.body).toMatchObject({ status: "running" });
    });

    test("which a provider that is down, or names none, does not create", async () => {
      const down = await ocr.createJob([imageFile, modelField("test-mistral-read-down")]);
      expectEnvelope(down, 503, "no_provider_available");
      for (const name of ["failing", "job-nameless"]) {
        const failed = await ocr.createJob([imageFile, modelField(`test-mistral-read-${name}`)]);
        expectEnvelope(failed, 502, "upstream_rejected");
      }
    });
  });
});
