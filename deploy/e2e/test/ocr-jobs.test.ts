import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { expectBooksInOrder, readBooks } from "../src/ledger-books.ts";
import { type OcrClient, ocrClient } from "../src/ocr-client.ts";
import { image, model, pdf } from "../src/ocr-form.ts";
import { lastUpload } from "../src/provider-uploads.ts";
import { type Answer, expectEnvelope, send } from "../src/request.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";

describe("OCR jobs", () => {
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

  const jobIdOf = ({ body }: Answer) => (body as { job_id: string }).job_id;

  async function entriesOf(owner: Account, alias: string) {
    await expectBooksInOrder(stack);
    const { entries } = await stack.operator.listLedger({ account: owner.accountId, limit: 999 });
    return entries.filter((entry) => entry.alias === alias);
  }

  test("a job costs nothing when made, and its pages once it is seen done", async () => {
    const own = await stack.newAccount(1);
    const made = await ocr.create([pdf(3), model("test-read")], own.key);
    expect(made.status).toBe(202);
    expect(made.body).toMatchObject({ job_id: expect.any(String), status: "queued" });
    expect(lastUpload(stack)?.sha256).toBe(made.sent.sha256);
    const jobId = jobIdOf(made);
    expect(await entriesOf(own, "test-read")).toEqual([]);
    const running = await ocr.read(jobId, "test-read", own.key);
    expect(running.body).toMatchObject({ status: "processing" });
    expect(await entriesOf(own, "test-read")).toEqual([]);
    const done = await ocr.read(jobId, "test-read", own.key);
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
    const made = await ocr.create([image, model("test-read-at-once")], own.key);
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
    const made = await ocr.create([image, model("test-read-at-once")], poor.key);
    const answer = await ocr.read(jobIdOf(made), "test-read-at-once", poor.key);
    expect(answer.status).toBe(200);
    await eventually(async () => {
      expect(await entriesOf(poor, "test-read-at-once")).toMatchObject([
        { amountNanoUsd: -5_000_000n, uncollectedNanoUsd: 13_000_000n },
      ]);
    });
    expect((await ocr.read(jobIdOf(made), "test-read-at-once", poor.key)).status).toBe(200);
  });

  test("a job that failed leaves a failure row; an unknown word is no end", async () => {
    const failed = await ocr.create([image, model("test-read-error")]);
    await ocr.read(jobIdOf(failed), "test-read-error");
    await eventually(async () => {
      const entries = await entriesOf(account, "test-read-error");
      expect(entries).toMatchObject([{ kind: "failure", amountNanoUsd: 0n }]);
    });
    const odd = await ocr.create([image, model("test-read-odd")]);
    expect((await ocr.read(jobIdOf(odd), "test-read-odd")).status).toBe(200);
    expect(await entriesOf(account, "test-read-odd")).toEqual([]);
  });

  test("a job is its account's alone, under its own alias; all else is 404", async () => {
    const made = await ocr.create([image, model("test-read")]);
    const other = await stack.newAccount(1);
    const jobId = jobIdOf(made);
    expectEnvelope(await ocr.read(jobId, "test-read", other.key), 404, "not_found");
    expectEnvelope(await ocr.read(jobId, "test-read-pages"), 404, "not_found");
    expectEnvelope(await ocr.read("nothing", "test-read"), 404, "not_found");
    expectEnvelope(await ocr.read("..%2F..%2Fmodels", "test-read"), 404, "not_found");
    expectEnvelope(await ocr.read(jobId, "nobody"), 404, "model_not_found", "model");
    expectEnvelope(await ocr.read("%00", "test-read"), 404, "not_found");
    expectEnvelope(await ocr.read("x".repeat(600), "test-read"), 404, "not_found");
  });

  test("another key of the account may read a job; the key that made it is charged", async () => {
    const own = await stack.newAccount(1);
    const files = [image, model("test-read-at-once")];
    const made = await ocr.create(files, own.key);
    const { key } = await stack.operator.createKey({ account: own.accountId });
    expect((await ocr.read(jobIdOf(made), "test-read-at-once", key)).status).toBe(200);
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
        const made = await ocr.create([image, model("test-read-again")], key);
        expect([made.status, jobIdOf(made)]).toEqual([202, "job-1"]);
      }
    }
    for (const owner of owners) {
      for (const _ of [1, 2]) await ocr.read("job-1", "test-read-again", owner.key);
      await eventually(async () => {
        expect(await entriesOf(owner, "test-read-again")).toMatchObject([{ quantity: 12n }]);
      });
    }
  });

  test("a job that its provider numbers is made once, read by its number and metered", async () => {
    const own = await stack.newAccount(1);
    const before = stack.simulator.calls.list().length;
    const made = await ocr.create([image, model("test-read-numbered")], own.key);
    expect([made.status, made.body]).toEqual([202, { job_id: 71, status: "queued" }]);
    expect(stack.simulator.calls.list()).toHaveLength(before + 1);
    const answer = await ocr.read("71", "test-read-numbered", own.key);
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
    const made = await ocr.create([image, model("test-read-failover")]);
    const answer = await ocr.read(jobIdOf(made), "test-read-failover");
    expect(answer.body).toMatchObject({ status: "Completed", pages: 2 });
    const statuses = stack.simulator.calls
      .list()
      .slice(-3)
      .map(({ status }) => status);
    expect(statuses).toEqual([503, 202, 200]);
  });

  test("a reader that died before it could say so, and a message that comes again, change nothing", async () => {
    const own = await stack.newAccount(1);
    const made = await ocr.create([image, model("test-read-at-once")], own.key);
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    for (const _ of [1, 2, 3]) {
      await ocr.read(jobIdOf(made), "test-read-at-once", own.key);
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
    const answer = await ocr.create([image, model("test-read-nameless")]);
    expectEnvelope(answer, 502, "upstream_rejected");
  });
});
