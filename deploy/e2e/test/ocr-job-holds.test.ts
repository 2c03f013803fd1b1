import { BudgetPeriod } from "@tollgate/proto/tollgate/v1/limits";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { readWalletRow } from "../src/ledger.ts";
import { ocrClient } from "../src/ocr-client.ts";
import { imageFile, modelField, pdf, rawOcrForm } from "../src/ocr-form.ts";
import { sha256 } from "../src/provider-uploads.ts";
import { expectEnvelope } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { type TestAccount, testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const { stack, account } = await sharedStack();
const ocr = ocrClient(stack, account);

// The tests wait for the holds of jobs to end, and have accounts of their own.
describe("the hold of an OCR job", () => {
  const jobIdOf = ({ body }: HttpResponse) => (body as { job_id: string }).job_id;

  async function holdsOf({ accountId }: TestAccount) {
    const { holds } = await stack.operator.listHolds({ account: accountId });
    return holds.map(({ alias, jobId, amountNanoUsd }) => ({ alias, jobId, amountNanoUsd }));
  }

  async function usageOf({ accountId }: TestAccount) {
    const { entries } = await stack.operator.listLedger({ account: accountId, limit: 999 });
    return entries.filter(({ kind }) => kind !== "top_up");
  }

  test.concurrent("is the wallet's: of twenty jobs on one micro-dollar, one is taken", async () => {
    const form = [pdf(100), modelField("test-read-at-once")];
    const atOnce = await stack.newAccount(0.000_001);
    const inSequence = await stack.newAccount(0.000_001);
    const racing = Array.from({ length: 20 }, () => ocr.createJob(form, atOnce.key));
    const after: HttpResponse[] = [];
    for (let index = 0; index < 20; index += 1) {
      after.push(await ocr.createJob(form, inSequence.key));
    }
    for (const responses of [await Promise.all(racing), after]) {
      const [taken = [], refused = []] = [202, 402].map((code) =>
        responses.filter(({ status }) => status === code),
      );
      expect([taken.length, refused.length]).toEqual([1, 19]);
    }
    const [first] = after;
    const read = await ocr.readJob(
      jobIdOf(first as HttpResponse),
      "test-read-at-once",
      inSequence.key,
    );
    expect(read.status).toBe(200);
    await eventually(async () => {
      expect(await usageOf(inSequence)).toMatchObject([{ amountNanoUsd: -1_000n }]);
    });
  });

  test.concurrent("is a budget's in full: 0.001 a day takes no job of 0.15", async () => {
    const { accountId } = await stack.newAccount(1);
    const budget = { amountNanoUsd: 1_000_000n, period: BudgetPeriod.DAY };
    const { key } = await stack.operator.createKey({ account: accountId, limits: { budget } });
    const user = [pdf(100), modelField("test-read")];
    const refused = await ocr.createJob(user, key);
    expectEnvelope(refused, 402, "credit_balance_exhausted");
    expect(refused.text).toContain("may cost up to 0.15 USD, and less is left of the budget");
    expect(await holdsOf({ ...account, accountId })).toEqual([]);
  });

  test.concurrent("is all that a job may cost with the policy whole, and leaves nothing uncollected", async () => {
    const form = [pdf(12), modelField("test-read-at-once")];
    const poor = await stack.newAccount(0.017_999, "whole");
    const refused = await ocr.createJob(form, poor.key);
    expectEnvelope(refused, 402, "credit_balance_exhausted");
    expect(refused.text).toContain("admission policy");
    const whole = await stack.newAccount(0.018, "whole");
    const created = await ocr.createJob(form, whole.key);
    expect(created.status).toBe(202);
    expect((await ocr.createJob(form, whole.key)).status).toBe(402);
    await ocr.readJob(jobIdOf(created), "test-read-at-once", whole.key);
    await eventually(async () => {
      expect(await usageOf(whole)).toMatchObject([
        { amountNanoUsd: -18_000_000n, uncollectedNanoUsd: 0n },
      ]);
    });
  });

  test.concurrent("is listed with its job until the read that meters it, and is not in progress", async () => {
    const { accountId, ...others } = await stack.newAccount(1);
    const limits = { parallel: 1, requestsPerMinute: 3 };
    const { key, keyId } = await stack.operator.createKey({ account: accountId, limits });
    const own = { ...others, accountId, key, keyId };
    const form = [pdf(12), modelField("test-read-at-once")];
    const jobs: string[] = [];
    for (let index = 0; index < 3; index += 1) jobs.push(jobIdOf(await ocr.createJob(form, key)));
    const limited = await ocr.createJob(form, key);
    expectEnvelope(limited, 429, "rate_limited");
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    const holdOf = (jobId: string) => ({
      alias: "test-read-at-once",
      jobId,
      amountNanoUsd: 18_000_000n,
    });
    expect(await holdsOf(own)).toEqual(jobs.toReversed().map(holdOf));
    const listing = ["hold", "list", "--account", accountId, "--json"];
    const listed = await runTollgate(stack.operatorAddress, testSecrets, listing);
    const job = { id: jobs[2], model: "test-read-at-once" };
    expect(listed.json()).toMatchObject({ holds: [{ job, key_id: keyId }, {}, {}] });
    for (const jobId of jobs) await ocr.readJob(jobId, "test-read-at-once", key);
    await eventually(async () => expect(await holdsOf(own)).toEqual([]));
    for (const { eventId } of await usageOf(own)) expect(eventId).not.toMatch(/sim|read/);
  });

  test.concurrent("ends when a read sees the job failed, or done in words of the provider's own", async () => {
    const own = await stack.newAccount(1);
    for (const alias of ["test-read-error", "test-read-finished"]) {
      const created = await ocr.createJob([imageFile, modelField(alias)], own.key);
      await ocr.readJob(jobIdOf(created), alias, own.key);
    }
    await eventually(async () => {
      expect(await usageOf(own)).toMatchObject([
        { kind: "usage", quantity: 2n, basis: "provider" },
        { kind: "failure", amountNanoUsd: 0n },
      ]);
      expect(await holdsOf(own)).toEqual([]);
    });
  });

  test.concurrent("ends by a read of the gateway's own, which meters a job that nobody reads", async () => {
    const own = await stack.newAccount(0.004_5);
    await ocr.createJob([pdf(3), modelField("test-read-brief")], own.key);
    expect((await readWalletRow(stack, own)).held).toBe(4_500_000n);
    await eventually(async () => {
      expect(await usageOf(own)).toMatchObject([{ quantity: 3n, amountNanoUsd: -4_500_000n }]);
      expect(await holdsOf(own)).toEqual([]);
    });
  });

  test.concurrent("is released while the job runs: a later read needs its whole cost", async () => {
    const own = await stack.newAccount(0.004);
    const alias = "test-read-brief-running";
    const jobId = jobIdOf(await ocr.createJob([pdf(1), modelField(alias)], own.key));
    await eventually(async () => expect(await holdsOf(own)).toEqual([]));
    for (const _ of [1, 2]) {
      const unpaid = await ocr.readJob(jobId, alias, own.key);
      expectEnvelope(unpaid, 402, "credit_balance_exhausted");
      expect(unpaid.text).toContain("costs 0.004500 USD, and its hold has ended");
    }
    const paid = { account: own.accountId, amountNanoUsd: 1_000_000n, reference: "more" };
    await stack.operator.topUpWallet(paid);
    const reads = await Promise.all([1, 2, 3].map(() => ocr.readJob(jobId, alias, own.key)));
    for (const { body } of reads) expect(body).toMatchObject({ pages: 3 });
    await eventually(async () => {
      expect(await usageOf(own)).toMatchObject([
        { amountNanoUsd: -4_500_000n, uncollectedNanoUsd: 0n },
      ]);
      expect(await holdsOf(own)).toEqual([]);
    });
    expect((await ocr.readJob(jobId, alias, own.key)).status).toBe(200);
  });

  test.concurrent("is restored where the creation was interrupted before the ledger kept it", async () => {
    const own = await stack.newAccount(1);
    const created = await ocr.createJob([imageFile, modelField("test-read")], own.key);
    const jobId = jobIdOf(created);
    // The trigger of the holds finds the wallets there.
    const options = "-c search_path=ledger";
    const database = new pg.Client({ connectionString: stack.databaseUrl, options });
    await database.connect();
    await database.query("DELETE FROM hold WHERE account_id = $1", [own.accountId]);
    const row = "UPDATE document.ocr_job SET is_kept = false, next_at = now() WHERE job_id = $1";
    await database.query(row, [jobId]);
    await database.end();
    await eventually(async () => {
      expect(await holdsOf(own)).toEqual([
        { alias: "test-read", jobId, amountNanoUsd: 1_500_000n },
      ]);
    });
  });

  test.concurrent("stays with a job whose client left during its creation", async () => {
    const own = await stack.newAccount(1);
    const { body, contentType } = rawOcrForm([imageFile, modelField("test-read-slow")]);
    const client = new AbortController();
    const creating = fetch(`${stack.url}/v1/ocr/jobs`, {
      method: "POST",
      headers: { authorization: `Bearer ${own.key}`, "content-type": contentType },
      body: new Uint8Array(body),
      signal: client.signal,
    });
    creating.catch(() => {});
    await eventually(async () => {
      const calls = stack.simulator.calls.list();
      expect(calls.some(({ upload }) => upload?.sha256 === sha256(body))).toBe(true);
    });
    client.abort();
    stack.simulator.release();
    await eventually(async () => {
      expect(await holdsOf(own)).toMatchObject([{ jobId: expect.stringMatching(/./) }]);
    });
  });
});
