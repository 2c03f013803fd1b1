import pg from "pg";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { readWalletRow } from "../src/ledger.ts";
import { ocrClient } from "../src/ocr-client.ts";
import { imageFile, modelField, pdf } from "../src/ocr-form.ts";
import { lastUpload } from "../src/provider-uploads.ts";
import { expectEnvelope, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import type { TestAccount } from "../src/stack.ts";

const { stack, account, expectBooks } = await sharedStack({ creditUsd: 10 });
const ocr = ocrClient(stack, account);

describe("OCR jobs", () => {
  const jobIdOf = ({ body }: HttpResponse) => (body as { job_id: string }).job_id;

  async function entriesOf(owner: TestAccount, alias: string) {
    await expectBooks();
    const { entries } = await stack.operator.listLedger({ account: owner.accountId, limit: 999 });
    return entries.filter((entry) => entry.alias === alias);
  }

  test("a job costs nothing when created, and its pages when it is read as done", async () => {
    const own = await stack.newAccount(1);
    const created = await ocr.createJob([pdf(3), modelField("test-read")], own.key);
    expect(created.status).toBe(202);
    expect(created.body).toMatchObject({ job_id: expect.any(String), status: "queued" });
    expect(lastUpload(stack)?.sha256).toBe(created.sent.sha256);
    const jobId = jobIdOf(created);
    expect(await entriesOf(own, "test-read")).toEqual([]);
    const running = await ocr.readJob(jobId, "test-read", own.key);
    expect(running.body).toMatchObject({ status: "processing" });
    expect(await entriesOf(own, "test-read")).toEqual([]);
    const done = await ocr.readJob(jobId, "test-read", own.key);
    expect(done.text).toBe(`{\n "job_id": "${jobId}",\n "status": "Completed"\n}\n`);
    await eventually(async () => {
      const entries = await entriesOf(own, "test-read");
      expect(entries).toMatchObject([
        { kind: "usage", quantity: 1n, basis: "file_parts", amountNanoUsd: -1_500_000n },
      ]);
    });
  });

  test("pages of a job that are not reported are those of its files, where the model says so", async () => {
    const own = await stack.newAccount(1);
    const alias = "test-read-measured";
    const created = await ocr.createJob([pdf(3), modelField(alias)], own.key);
    await ocr.readJob(jobIdOf(created), alias, own.key);
    await eventually(async () => {
      const entries = await entriesOf(own, alias);
      expect(entries).toMatchObject([{ kind: "usage", quantity: 3n, basis: "page_tree" }]);
    });
  });

  test("concurrent readers on two replicas and later readers meter it once", async () => {
    const own = await stack.newAccount(1);
    const replica = await stack.replica();
    const created = await ocr.createJob([imageFile, modelField("test-read-at-once")], own.key);
    const path = `/v1/ocr/jobs/${jobIdOf(created)}?model=test-read-at-once`;
    const racing = Array.from({ length: 20 }, (_, index) =>
      send(`${index % 2 ? stack.url : replica.url}${path}`, { key: own.key }),
    );
    for (const { status } of await Promise.all(racing)) expect(status).toBe(200);
    await send(`${stack.url}${path}`, { key: own.key });
    await eventually(async () => {
      const entries = await entriesOf(own, "test-read-at-once");
      expect(entries).toMatchObject([{ quantity: 12n, amountNanoUsd: -18_000_000n }]);
    });
    expect((await readWalletRow(stack, own)).balance).toBe(982_000_000n);
  });

  test("a status read is never refused for an empty wallet, and charges what is left", async () => {
    const poor = await stack.newAccount(0.005);
    const created = await ocr.createJob([imageFile, modelField("test-read-at-once")], poor.key);
    const response = await ocr.readJob(jobIdOf(created), "test-read-at-once", poor.key);
    expect(response.status).toBe(200);
    await eventually(async () => {
      expect(await entriesOf(poor, "test-read-at-once")).toMatchObject([
        { amountNanoUsd: -5_000_000n, uncollectedNanoUsd: 13_000_000n },
      ]);
    });
    expect((await ocr.readJob(jobIdOf(created), "test-read-at-once", poor.key)).status).toBe(200);
  });

  test("a failed job leaves a failure entry; an unknown status is not final", async () => {
    const failed = await ocr.createJob([imageFile, modelField("test-read-error")]);
    await ocr.readJob(jobIdOf(failed), "test-read-error");
    await eventually(async () => {
      const entries = await entriesOf(account, "test-read-error");
      expect(entries).toMatchObject([{ kind: "failure", amountNanoUsd: 0n }]);
    });
    const odd = await ocr.createJob([imageFile, modelField("test-read-odd")]);
    expect((await ocr.readJob(jobIdOf(odd), "test-read-odd")).status).toBe(200);
    expect(await entriesOf(account, "test-read-odd")).toEqual([]);
  });

  test("a job is readable only by its account under its own alias; all else is 404", async () => {
    const created = await ocr.createJob([imageFile, modelField("test-read")]);
    const other = await stack.newAccount(1);
    const jobId = jobIdOf(created);
    expectEnvelope(await ocr.readJob(jobId, "test-read", other.key), 404, "not_found");
    expectEnvelope(await ocr.readJob(jobId, "test-read-pages"), 404, "not_found");
    expectEnvelope(await ocr.readJob("nothing", "test-read"), 404, "not_found");
    expectEnvelope(await ocr.readJob("..%2F..%2Fmodels", "test-read"), 404, "not_found");
    expectEnvelope(await ocr.readJob(jobId, "nobody"), 404, "model_not_found", "model");
    expectEnvelope(await ocr.readJob("%00", "test-read"), 404, "not_found");
    expectEnvelope(await ocr.readJob("x".repeat(600), "test-read"), 404, "not_found");
  });

  test("another key of the account may read a job; the key that created it is charged", async () => {
    const own = await stack.newAccount(1);
    const files = [imageFile, modelField("test-read-at-once")];
    const created = await ocr.createJob(files, own.key);
    const { key } = await stack.operator.createKey({ account: own.accountId });
    expect((await ocr.readJob(jobIdOf(created), "test-read-at-once", key)).status).toBe(200);
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

  test("a job id that the provider repeats is one job within an account, and another in the next account", async () => {
    const owners = [await stack.newAccount(1), await stack.newAccount(1)];
    for (const { key } of owners) {
      for (const _ of [1, 2]) {
        const created = await ocr.createJob([imageFile, modelField("test-read-again")], key);
        expect([created.status, jobIdOf(created)]).toEqual([202, "job-1"]);
      }
    }
    for (const owner of owners) {
      for (const _ of [1, 2]) await ocr.readJob("job-1", "test-read-again", owner.key);
      await eventually(async () => {
        expect(await entriesOf(owner, "test-read-again")).toMatchObject([{ quantity: 12n }]);
      });
    }
  });

  test("a job with a numeric id is created once, read by its number and metered", async () => {
    const own = await stack.newAccount(1);
    const before = stack.simulator.calls.list().length;
    const created = await ocr.createJob([imageFile, modelField("test-read-numbered")], own.key);
    expect([created.status, created.body]).toEqual([202, { job_id: 71, status: "queued" }]);
    expect(stack.simulator.calls.list()).toHaveLength(before + 1);
    const response = await ocr.readJob("71", "test-read-numbered", own.key);
    expect(response.body).toMatchObject({ status: "Completed", pages: 3 });
    await eventually(async () => {
      expect(await entriesOf(own, "test-read-numbered")).toMatchObject([{ quantity: 3n }]);
    });
  });

  test("a status read takes a key and a model, and nothing else", async () => {
    const url = `${stack.url}/v1/ocr/jobs/some-id`;
    expectEnvelope(await send(`${url}?model=x`), 401, "invalid_api_key");
    expectEnvelope(await send(url, { key: account.key }), 400, "invalid_param", "model");
    const more = await send(`${url}?model=test-read&verbose=1`, { key: account.key });
    expectEnvelope(more, 400, "unknown_param", "verbose");
  });

  test("a job is read from the slot that created it, also after a failover", async () => {
    const created = await ocr.createJob([imageFile, modelField("test-read-failover")]);
    const response = await ocr.readJob(jobIdOf(created), "test-read-failover");
    expect(response.body).toMatchObject({ status: "Completed", pages: 2 });
    const statuses = stack.simulator.calls
      .list()
      .slice(-3)
      .map(({ status }) => status);
    expect(statuses).toEqual([503, 202, 200]);
  });

  test("a reader that died before it marked the job as metered changes nothing", async () => {
    const own = await stack.newAccount(1);
    const created = await ocr.createJob([imageFile, modelField("test-read-at-once")], own.key);
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    for (const _ of [1, 2, 3]) {
      await ocr.readJob(jobIdOf(created), "test-read-at-once", own.key);
      await eventually(async () => {
        expect(await entriesOf(own, "test-read-at-once")).toHaveLength(1);
      });
      // The row of a process that was killed between the event and the mark.
      await database.query("UPDATE document.ocr_job SET metered_at = NULL WHERE job_id = $1", [
        jobIdOf(created),
      ]);
    }
    await database.end();
    expect(await entriesOf(own, "test-read-at-once")).toHaveLength(1);
  });

  test("a provider that returns no job id is a 502", async () => {
    const response = await ocr.createJob([imageFile, modelField("test-read-nameless")]);
    expectEnvelope(response, 502, "upstream_rejected");
  });
});
