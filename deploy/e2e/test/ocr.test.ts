import { execFile, spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { entryOf, expectBooksInOrder, readBooks } from "../src/ledger-books.ts";
import { type Answer, expectEnvelope, requestIdOf, send } from "../src/request.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";

const mebibyte = 1024 * 1024;

interface Part {
  name: string;
  contents: string | Buffer;
  /** Makes it a file. */
  type?: string;
}

const image: Part = { name: "file", contents: "\u0089PNG and so on", type: "image/png" };

function pdf(pages: number): Part {
  const objects = Array.from(
    { length: pages },
    (_, n) => `${n} 0 obj <</Type /Page /Parent 9>> endobj`,
  );
  const tree = `9 0 obj <</Type/Pages /Kids [] /Count ${pages}>> endobj`;
  const contents = ["%PDF-1.4", ...objects, "x".repeat(70_000), tree, "%%EOF"].join("\n");
  return { name: "file", contents, type: "application/pdf" };
}

function model(alias: string): Part {
  return { name: "model", contents: alias };
}

describe("OCR", () => {
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

  async function post(path: string, parts: readonly Part[], options: { key?: string } = {}) {
    const boundary = `----odd'boundary${randomUUID()}`;
    const pieces = parts.flatMap(({ name, contents, type }) => {
      const file = type === undefined ? "" : `; filename="ä.bin"\r\nContent-Type: ${type}`;
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
      return [Buffer.from(head), Buffer.from(contents), Buffer.from("\r\n")];
    });
    const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
    const type = `multipart/form-data; boundary="${boundary}"`;
    const headers = { "content-type": type };
    const answer = await send(`${stack.url}${path}`, {
      key: account.key,
      body,
      headers,
      ...options,
    });
    return { ...answer, sent: { type, sha256: createHash("sha256").update(body).digest("hex") } };
  }

  /** A form as clients make it. */
  function formOf(alias: string, contents: Buffer): FormData {
    const form = new FormData();
    form.append("model", alias);
    form.append("file", new Blob([new Uint8Array(contents)]), "x.png");
    return form;
  }

  const ask = (parts: readonly Part[]) => post("/v1/ocr", parts);
  const create = (parts: readonly Part[]) => post("/v1/ocr/jobs", parts);
  const jobIdOf = ({ body }: Answer) => (body as { job_id: string }).job_id;

  function read(jobId: string, alias: string, key: string = account.key): Promise<Answer> {
    return send(`${stack.url}/v1/ocr/jobs/${jobId}?model=${alias}`, { key });
  }

  function lastCall() {
    return stack.simulator.journal.list().at(-1);
  }

  async function entriesOf(owner: Account, alias: string) {
    await expectBooksInOrder(stack);
    const { entries } = await stack.operator.listLedger({ account: owner.accountId, limit: 999 });
    return entries.filter((entry) => entry.alias === alias);
  }

  describe("at once", () => {
    test("the form goes to the provider byte for byte, the answer comes back so", async () => {
      const parts = [image, model("test-read"), { name: "language", contents: "de" }, image];
      const answer = await ask(parts);
      expect([answer.status, answer.text]).toEqual([200, '{\n "text": "simulated text"\n}\n']);
      expect(lastCall()?.upload).toMatchObject({
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
      const answer = await ask([model(alias), pdf(3)]);
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
      const answering = post("/v1/ocr", [...files, model("test-read-slow")], { key: own.key });
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
      const answer = await ask([big, model("test-read")]);
      expect(answer.status).toBe(200);
      expect(lastCall()?.upload?.sha256).toBe(answer.sent.sha256);
    });

    test.each<[string, Part[], string, string]>([
      [
        "an unknown field",
        [image, model("test-read"), { name: "dpi", contents: "1" }],
        "unknown_param",
        "dpi",
      ],
      ["no file", [model("test-read")], "invalid_param", "file"],
      [
        "a file as text",
        [model("test-read"), { name: "file", contents: "x" }],
        "invalid_param",
        "file",
      ],
      ["no model", [image], "invalid_param", "model"],
      ["an empty model", [image, model("")], "invalid_param", "model"],
      ["two models", [image, model("a"), model("b")], "invalid_param", "model"],
      [
        "another lane's mode",
        [image, model("test-read"), { name: "mode", contents: "archival" }],
        "invalid_param",
        "mode",
      ],
      [
        "a mode that is none",
        [image, model("test-read"), { name: "mode", contents: "x" }],
        "invalid_param",
        "mode",
      ],
      [
        "diplomatic yes",
        [image, model("test-read"), { name: "diplomatic", contents: "yes" }],
        "invalid_param",
        "diplomatic",
      ],
    ])("%s is refused, on both routes", async (_, parts, code, param) => {
      const before = stack.simulator.journal.list().length;
      expectEnvelope(await ask(parts), 400, code, param);
      expectEnvelope(await create(parts), 400, code, param);
      expect(stack.simulator.journal.list()).toHaveLength(before);
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
          expect((await ask([image, model(alias), ...fields])).status).toBe(200);
        }
      }
    });

    test("401, 402, 403, 404, 413, 502 and 503, on both routes", async () => {
      const poor = await stack.newAccount(0);
      const gone = await stack.newAccount(1);
      await stack.operator.revokeKey({ keyId: gone.keyId });
      const big = { ...image, contents: Buffer.alloc(25 * mebibyte + 1) };
      for (const path of ["/v1/ocr", "/v1/ocr/jobs"]) {
        const good = [image, model("test-read")];
        expectEnvelope(await post(path, good, { key: "sk-x" }), 401, "invalid_api_key");
        expectEnvelope(await post(path, good, { key: poor.key }), 402, "credit_balance_exhausted");
        expectEnvelope(await post(path, good, { key: gone.key }), 403, "key_revoked");
        for (const alias of ["nobody", "test-small", "test-read-internal"]) {
          expectEnvelope(await post(path, [image, model(alias)]), 404, "model_not_found", "model");
        }
        expectEnvelope(await post(path, [big, model("x")]), 413, "request_too_large", "file");
        for (const alias of ["test-read-failing", "test-read-refused", "test-read-erring"]) {
          expectEnvelope(await post(path, [image, model(alias)]), 502, "upstream_rejected");
        }
        const dead = await post(path, [image, model("test-read-dead")]);
        expectEnvelope(dead, 503, "no_provider_available");
        expectEnvelope(await post(`${path}?x=1`, good), 400, "unknown_param", "x");
      }
    });

    test.each([
      "test-read-failing",
      "test-read-erring",
      "test-read-failed",
    ])("%s: a failure leaves a row at no cost", async (alias) => {
      const answer = await ask([image, model(alias)]);
      expectEnvelope(answer, 502, "upstream_rejected");
      expect(await entryOf(stack, account, requestIdOf(answer))).toMatchObject({
        kind: "failure",
        amountNanoUsd: 0n,
      });
    });

    test("an error in a 200 is passed over for the next slot's answer, which alone is billed", async () => {
      const answer = await ask([image, model("test-read-erring-first")]);
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
      const sha256 = createHash("sha256").update(body).digest("hex");
      expect(lastCall()?.upload?.sha256).toBe(sha256);
    });

    test.each([
      ["nothing at all", ""],
      ["no final boundary", "--b\r\nContent-Disposition: form-data; name=model\r\n\r\nx"],
      ["a cut header", "--b\r\nContent-Dispo"],
      ["a part without a name", "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--"],
      ["a part without headers", "--b\r\n\r\nx\r\n--b--"],
      [
        "padding after a boundary",
        `--b \r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n--b--`,
      ],
      ["a header bomb", `--b\r\nX: ${"y".repeat(100_000)}\r\n\r\nx\r\n--b--`],
      [
        "a multitude of parts",
        `${"--b\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n".repeat(100_000)}--b--`,
      ],
    ])("%s is a 400 that names the trouble", async (_, body) => {
      const headers = { "content-type": "multipart/form-data; boundary=b" };
      for (const path of ["/v1/ocr", "/v1/audio/transcriptions"]) {
        const answer = await send(`${stack.url}${path}`, { key: account.key, body, headers });
        expectEnvelope(answer, 400, "invalid_json");
      }
    });

    test("100 uploads at once stay within little memory", async () => {
      const before = stack.memoryBytes();
      const big = { ...image, contents: Buffer.alloc(5 * mebibyte, 7) };
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => ask([big, model("test-read-many")])),
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
      expect(lastCall()?.upload?.sha256).toBe(createHash("sha256").update(body).digest("hex"));
      expect(performance.now() - startedAt).toBeLessThan(10_000);
      expect(stack.memoryBytes() - before).toBeLessThan(150_000_000);
    });

    test("a retry with the same idempotency key runs again", async () => {
      const before = stack.simulator.journal.list().length;
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
      expect(stack.simulator.journal.list()).toHaveLength(before + 2);
    });
  });

  describe("jobs", () => {
    test("a job costs nothing when made, and its pages once it is seen done", async () => {
      const own = await stack.newAccount(1);
      const made = await post("/v1/ocr/jobs", [pdf(3), model("test-read")], { key: own.key });
      expect(made.status).toBe(202);
      expect(made.body).toMatchObject({ job_id: expect.any(String), status: "queued" });
      expect(lastCall()?.upload?.sha256).toBe(made.sent.sha256);
      const jobId = jobIdOf(made);
      expect(await entriesOf(own, "test-read")).toEqual([]);
      const running = await read(jobId, "test-read", own.key);
      expect(running.body).toMatchObject({ status: "processing" });
      expect(await entriesOf(own, "test-read")).toEqual([]);
      const done = await read(jobId, "test-read", own.key);
      expect(done.text).toBe(`{\n "job_id": "${jobId}",\n "status": "Completed"\n}\n`);
      await eventually(async () => {
        const entries = await entriesOf(own, "test-read");
        expect(entries).toMatchObject([
          { kind: "usage", quantity: 1n, basis: "file_parts", amountNanoUsd: -1_500_000n },
        ]);
      });
    });

    test("readers that race, on two replicas, and readers that come back, meter it once", async () => {
      const own = await stack.newAccount(1);
      const replica = await stack.addReplica();
      const made = await post("/v1/ocr/jobs", [image, model("test-read-at-once")], {
        key: own.key,
      });
      const path = `/v1/ocr/jobs/${jobIdOf(made)}?model=test-read-at-once`;
      const racing = Array.from({ length: 20 }, (_, index) =>
        send(`${index % 2 ? stack.url : replica.url}${path}`, { key: own.key }),
      );
      for (const { status } of await Promise.all(racing)) expect(status).toBe(200);
      await send(`${stack.url}${path}`, { key: own.key });
      await eventually(async () => {
        const entries = await entriesOf(own, "test-read-at-once");
        expect(entries).toMatchObject([{ quantity: 12n, amountNanoUsd: -18_000_000n }]);
      });
      expect((await readBooks(stack, own)).balance).toBe(982_000_000n);
    });

    test("a status read is never refused for an empty wallet, and charges what there is", async () => {
      const poor = await stack.newAccount(0.005);
      const made = await post("/v1/ocr/jobs", [image, model("test-read-at-once")], {
        key: poor.key,
      });
      const answer = await read(jobIdOf(made), "test-read-at-once", poor.key);
      expect(answer.status).toBe(200);
      await eventually(async () => {
        expect(await entriesOf(poor, "test-read-at-once")).toMatchObject([
          { amountNanoUsd: -5_000_000n, uncollectedNanoUsd: 13_000_000n },
        ]);
      });
      expect((await read(jobIdOf(made), "test-read-at-once", poor.key)).status).toBe(200);
    });

    test("a job that failed leaves a failure row; an unknown word is no end", async () => {
      const failed = await create([image, model("test-read-error")]);
      await read(jobIdOf(failed), "test-read-error");
      await eventually(async () => {
        const entries = await entriesOf(account, "test-read-error");
        expect(entries).toMatchObject([{ kind: "failure", amountNanoUsd: 0n }]);
      });
      const odd = await create([image, model("test-read-odd")]);
      expect((await read(jobIdOf(odd), "test-read-odd")).status).toBe(200);
      expect(await entriesOf(account, "test-read-odd")).toEqual([]);
    });

    test("a job is its account's alone, under its own alias; all else is 404", async () => {
      const made = await create([image, model("test-read")]);
      const other = await stack.newAccount(1);
      const jobId = jobIdOf(made);
      expectEnvelope(await read(jobId, "test-read", other.key), 404, "not_found");
      expectEnvelope(await read(jobId, "test-read-pages"), 404, "not_found");
      expectEnvelope(await read("nothing", "test-read"), 404, "not_found");
      expectEnvelope(await read("..%2F..%2Fmodels", "test-read"), 404, "not_found");
      expectEnvelope(await read(jobId, "nobody"), 404, "model_not_found", "model");
      expectEnvelope(await read("%00", "test-read"), 404, "not_found");
      expectEnvelope(await read("x".repeat(600), "test-read"), 404, "not_found");
    });

    test("another key of the account may read a job; the key that made it is charged", async () => {
      const own = await stack.newAccount(1);
      const files = [image, model("test-read-at-once")];
      const made = await post("/v1/ocr/jobs", files, { key: own.key });
      const { key } = await stack.operator.createKey({ account: own.accountId });
      expect((await read(jobIdOf(made), "test-read-at-once", key)).status).toBe(200);
      const entry = await eventually(async () => {
        const [first] = await entriesOf(own, "test-read-at-once");
        expect(first).toBeDefined();
        return first;
      });
      const database = new pg.Client({ connectionString: stack.databaseUrl });
      await database.connect();
      const { rows } = await database.query("SELECT key_id FROM ledger.entry WHERE event_id = $1", [
        entry?.eventId,
      ]);
      await database.end();
      expect(rows).toEqual([{ key_id: own.keyId }]);
    });

    test("a job that is named again is one job to an account, and another to the next", async () => {
      const owners = [await stack.newAccount(1), await stack.newAccount(1)];
      for (const { key } of owners) {
        for (const _ of [1, 2]) {
          const made = await post("/v1/ocr/jobs", [image, model("test-read-again")], { key });
          expect([made.status, jobIdOf(made)]).toEqual([202, "job-1"]);
        }
      }
      for (const owner of owners) {
        for (const _ of [1, 2]) await read("job-1", "test-read-again", owner.key);
        await eventually(async () => {
          expect(await entriesOf(owner, "test-read-again")).toMatchObject([{ quantity: 12n }]);
        });
      }
    });

    test("a job that its provider numbers is made once, read by its number and metered", async () => {
      const own = await stack.newAccount(1);
      const before = stack.simulator.journal.list().length;
      const made = await post("/v1/ocr/jobs", [image, model("test-read-numbered")], {
        key: own.key,
      });
      expect([made.status, made.body]).toEqual([202, { job_id: 71, status: "queued" }]);
      expect(stack.simulator.journal.list()).toHaveLength(before + 1);
      const answer = await read("71", "test-read-numbered", own.key);
      expect(answer.body).toMatchObject({ status: "Completed", pages: 3 });
      await eventually(async () => {
        expect(await entriesOf(own, "test-read-numbered")).toMatchObject([{ quantity: 3n }]);
      });
    });

    test("a status read needs a key, its model, and nothing else", async () => {
      const url = `${stack.url}/v1/ocr/jobs/some-id`;
      expectEnvelope(await send(`${url}?model=x`), 401, "invalid_api_key");
      expectEnvelope(await send(url, { key: account.key }), 400, "invalid_param", "model");
      const more = await send(`${url}?model=test-read&verbose=1`, { key: account.key });
      expectEnvelope(more, 400, "unknown_param", "verbose");
    });

    test("a job is asked for where it was made, also after a failover", async () => {
      const made = await create([image, model("test-read-failover")]);
      const answer = await read(jobIdOf(made), "test-read-failover");
      expect(answer.body).toMatchObject({ status: "Completed", pages: 2 });
      const statuses = stack.simulator.journal
        .list()
        .slice(-3)
        .map(({ status }) => status);
      expect(statuses).toEqual([503, 202, 200]);
    });

    test("a reader that died before it could say so, and a message that comes again, change nothing", async () => {
      const own = await stack.newAccount(1);
      const made = await post("/v1/ocr/jobs", [image, model("test-read-at-once")], {
        key: own.key,
      });
      const database = new pg.Client({ connectionString: stack.databaseUrl });
      await database.connect();
      for (const _ of [1, 2, 3]) {
        await read(jobIdOf(made), "test-read-at-once", own.key);
        await eventually(async () => {
          expect(await entriesOf(own, "test-read-at-once")).toHaveLength(1);
        });
        // As its process would leave it, killed between the event and the mark.
        await database.query("UPDATE document.ocr_job SET metered_at = NULL WHERE job_id = $1", [
          jobIdOf(made),
        ]);
      }
      await database.end();
      expect(await entriesOf(own, "test-read-at-once")).toHaveLength(1);
    });

    test("a provider that names no job is 502", async () => {
      const answer = await create([image, model("test-read-nameless")]);
      expectEnvelope(answer, 502, "upstream_rejected");
    });
  });
});
