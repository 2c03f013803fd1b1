import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OwnStack, startStack, testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const usd = 1_000_000_000n;
const manyEntries = 100_000;
/** Of a call: other tests may use the machine. */
const timeoutMs = 60_000;

/** The first moment of the month (UTC) that is `months` after the present one. */
function month(months: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1));
}

describe("a statement", { timeout: 4 * timeoutMs }, () => {
  let stack: OwnStack;
  let database: pg.Client;

  beforeAll(async () => {
    stack = await startStack({ TOLLGATE_STATEMENT_ISSUER: "Gateway GmbH\\nBerlin\\nDE123" });
    database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    await database.query("SET search_path TO ledger");
  });

  afterAll(async () => {
    const { result } = await stack.operator.verifyLedger({}, { timeoutMs });
    expect(result?.discrepancies).toEqual([]);
    await database.end();
    await stack.stop();
  });

  const tollgate = (...args: string[]) => runTollgate(stack.operatorAddress, testSecrets, args);

  /** Writes `count` entries as they were recorded then. */
  async function record(fields: {
    account: string;
    kind: string;
    amountNanoUsd: bigint;
    at: Date;
    reference?: string;
    alias?: string;
    keyId?: string;
    count?: number;
  }) {
    const { account, kind, amountNanoUsd, at, count = 1 } = fields;
    const { reference = randomUUID(), alias = "", keyId = "" } = fields;
    const isUsage = kind === "usage";
    await database.query(
      `INSERT INTO ledger.entry (id, event_id, account_id, key_id, kind, amount_nano_usd,
         cost_nano_usd, uncollected_nano_usd, request_id, route_type, alias, provider,
         upstream_model, unit_type, quantity, basis, prompt_tokens, completion_tokens,
         cached_prompt_tokens, reference, reason, occurred_at, recorded_at)
       SELECT $1 || n, $1 || n, $2, $3, $4, $5::bigint, CASE WHEN $6 THEN -$5::bigint ELSE 0 END, 0,
         '', CASE WHEN $6 THEN 'chat' ELSE '' END, $7, '', '', '', 0, '', 0, 0, 0, $8,
         CASE WHEN $4 = 'adjustment' THEN 'Correction' END, $9::timestamptz, $9::timestamptz
       FROM generate_series(1, $10::int) AS n`,
      [
        ...[`entry_${randomUUID()}_`, account, keyId, kind, String(amountNanoUsd), isUsage],
        ...[alias, isUsage ? "" : reference, at, count],
      ],
    );
  }

  const issue = () => stack.operator.issueStatements({}, { timeoutMs });

  async function newAccount() {
    const { accountId, keyId } = await stack.newAccount(0);
    return { account: accountId, keyId };
  }

  /** What the entries of a period add, by the entries themselves. */
  async function sumOfEntries(account: string, before: Date): Promise<bigint> {
    const { rows } = await database.query<{ sum: string }>(
      `SELECT coalesce(sum(amount_nano_usd), 0)::text AS sum FROM ledger.entry
       WHERE account_id = $1 AND recorded_at < $2`,
      [account, before],
    );
    return BigInt(rows[0]?.sum ?? 0);
  }

  async function statementsOf(account: string) {
    return (await stack.operator.listStatements({ account }, { timeoutMs })).statements;
  }

  test("sums a month with 100,000 entries as the entries do, over the ends of months", async () => {
    const { account, keyId } = await newAccount();
    const [start, end] = [month(-1), month(0)];
    const justBefore = (time: Date) => new Date(time.getTime() - 1);
    const own = { account, keyId };
    await record({ ...own, kind: "top_up", amountNanoUsd: 500n * usd, at: month(-2) });
    // Each side of both ends of the month.
    const usage = { ...own, kind: "usage", alias: "fast" };
    await record({ ...usage, amountNanoUsd: -1_000n, at: justBefore(start) });
    await record({ ...usage, amountNanoUsd: -2_000n, at: start });
    await record({ ...usage, amountNanoUsd: -4_000n, at: justBefore(end) });
    await record({ ...usage, amountNanoUsd: -8_000n, at: end });
    const middle = new Date(start.getTime() + 14 * 24 * 3_600_000 + 1);
    const many = { ...usage, amountNanoUsd: -123_000n, at: middle, count: manyEntries };
    await record({ ...many, alias: "large" });
    await record({
      ...own,
      kind: "top_up",
      amountNanoUsd: 20n * usd,
      at: middle,
      reference: "pi_1",
    });
    const adjustment = { ...own, kind: "adjustment", at: middle };
    await record({ ...adjustment, amountNanoUsd: 3n * usd, reference: "case-1" });
    expect((await issue()).issued).toBeGreaterThan(0);
    const [listed] = await statementsOf(account);
    const number = listed?.number ?? 0n;
    expect(listed?.sums).toMatchObject({ charges: [], topUps: [], refunds: [], adjustments: [] });
    const request = { account, number, asPdf: true };
    const { statement, pdf } = await stack.operator.getStatement(request, { timeoutMs });
    const sums = statement?.sums;
    expect(statement).toMatchObject({
      month: start.toISOString().slice(0, 7),
      issuer: ["Gateway GmbH", "Berlin", "DE123"],
    });
    expect(sums?.openingNanoUsd).toBe(await sumOfEntries(account, start));
    expect(sums?.closingNanoUsd).toBe(await sumOfEntries(account, end));
    expect(listed?.sums?.closingNanoUsd).toBe(sums?.closingNanoUsd);
    expect(sums?.chargesNanoUsd).toBe(6_000n + 123_000n * BigInt(manyEntries));
    expect(sums?.charges).toMatchObject([
      { alias: "large", keyId, requests: BigInt(manyEntries), chargedNanoUsd: 12_300_000_000n },
      { alias: "fast", keyId, requests: 2n, chargedNanoUsd: 6_000n },
    ]);
    expect(sums?.topUps).toMatchObject([{ reference: "pi_1", amountNanoUsd: 20n * usd }]);
    expect(sums?.adjustments).toMatchObject([
      { reference: "case-1", reason: "Correction", amountNanoUsd: 3n * usd },
    ]);
    expect(
      Buffer.from(pdf ?? [])
        .subarray(0, 5)
        .toString(),
    ).toBe("%PDF-");
    // The rows of the CSV add up to the closing balance, too.
    const { stdout } = await tollgate("statement", "show", String(number), "--csv");
    const amounts = stdout
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",").at(-1) ?? "");
    const micro = amounts.map((amount) => {
      const [whole = "", fraction = ""] = amount.split(".");
      return BigInt(whole + fraction.padEnd(6, "0"));
    });
    const total = micro.slice(0, -1).reduce((sum, one) => sum + one, 0n);
    expect(total).toBe(micro.at(-1));
    expect(micro.at(-1)).toBe((sums?.closingNanoUsd ?? 0n) / 1_000n);
    const { csv } = await stack.operator.getStatement({ number, asCsv: true }, { timeoutMs });
    expect(stdout).toBe(csv);
  });

  test("has the refunds of payments, also of an earlier month, and begins where the last one ended", async () => {
    const { account } = await newAccount();
    await record({
      account,
      kind: "top_up",
      amountNanoUsd: 50n * usd,
      at: month(-2),
      reference: "p",
    });
    const refund = { account, kind: "adjustment", amountNanoUsd: -20n * usd, at: month(-1) };
    await record({ ...refund, reference: "reversal:re_1:1" });
    await database.query(
      `INSERT INTO ledger.reversal (account_id, reference, reason, amount_nano_usd, taken_nano_usd)
       VALUES ($1, 're_1', 'Refund', $2, $2)`,
      [account, String(20n * usd)],
    );
    await issue();
    const [statement] = await statementsOf(account);
    expect(statement?.sums).toMatchObject({
      openingNanoUsd: 50n * usd,
      refundsNanoUsd: -20n * usd,
      closingNanoUsd: 30n * usd,
      charges: [],
    });
  });

  test("is issued once by many calls at the same time, and numbers have no gaps", async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, newAccount));
    for (const { account } of accounts) {
      await record({ account, kind: "top_up", amountNanoUsd: usd, at: month(-1) });
    }
    await Promise.all(Array.from({ length: 5 }, () => issue()));
    for (const { account } of accounts) expect(await statementsOf(account)).toHaveLength(1);
    const { statements } = await stack.operator.listStatements({ limit: 1_000 });
    const numbers = statements.map(({ number }) => number).reverse();
    expect(numbers).toEqual(numbers.map((_, index) => BigInt(index + 1)));
  });

  test("never changes: a later correction is in the next one, and the address of then stays", async () => {
    const { account } = await newAccount();
    await record({ account, kind: "top_up", amountNanoUsd: 5n * usd, at: month(-1) });
    const profile = { name: "Acme Ltd", address: "1 High Street\nLondon", taxId: "GB1" };
    await stack.operator.updateBillingProfile({ account, profile });
    await issue();
    const [{ number = 0n } = {}] = await statementsOf(account);
    const read = () => stack.operator.getStatement({ number, asPdf: true }, { timeoutMs });
    const before = await read();
    expect(before.statement?.customer).toEqual(["Acme Ltd", "1 High Street", "London", "GB1"]);
    const correction = { account, amountNanoUsd: -usd, reason: "Late", reference: "late" };
    await stack.operator.adjustWallet(correction);
    await stack.operator.updateBillingProfile({ account, profile: { name: "Other" } });
    expect((await issue()).issued).toBe(0);
    expect(await read()).toEqual(before);
    const change = "UPDATE billing.statement SET document = '{}' WHERE number = $1";
    await expect(database.query(change, [String(number)])).rejects.toThrow("never change");
    await expect(database.query("DELETE FROM billing.statement")).rejects.toThrow("never change");
  });

  test("that does not add up is not issued, is named, and delays no other account's", async () => {
    const [inexact, exact] = [await newAccount(), await newAccount()];
    const topUp = { kind: "top_up", amountNanoUsd: usd, at: month(-1) };
    for (const { account } of [inexact, exact]) await record({ account, ...topUp });
    const { account } = inexact;
    await database.query(
      `INSERT INTO billing.statement (number, account_id, month, issued_at, document)
       VALUES (1000000, $1, $2, now(), '{"sums": {"closingNanoUsd": "7"}}')`,
      [account, month(-2)],
    );
    const { code, stdout } = await tollgate("statement", "issue");
    expect(code).toBe(1);
    expect(stdout).toMatch(
      new RegExp(`^issued \\d+\nthe statement of ${account} for .* does not begin`),
    );
    expect(await statementsOf(account)).toHaveLength(1);
    expect(await statementsOf(exact.account)).toHaveLength(1);
  });

  test("is not issued for an account without money in a month without entries", async () => {
    const { account } = await newAccount();
    await issue();
    expect(await statementsOf(account)).toEqual([]);
  });

  test("is of its account alone, and is written as a PDF by a command, in any letters", async () => {
    const { account } = await newAccount();
    await record({ account, kind: "top_up", amountNanoUsd: usd, at: month(-1) });
    const profile = { name: "Ацме Łódź ΑΕ", address: "", taxId: "" };
    await stack.operator.updateBillingProfile({ account, profile });
    await issue();
    const [{ number = 0n } = {}] = await statementsOf(account);
    const other = (await newAccount()).account;
    const foreign = stack.operator.getStatement({ account: other, number });
    await expect(foreign).rejects.toMatchObject({ code: "not_found" });
    const folder = await mkdtemp(join(tmpdir(), "tollgate-statement-"));
    const file = join(folder, "statement.pdf");
    expect((await tollgate("statement", "pdf", String(number), file)).code).toBe(0);
    const pdf = await readFile(file, "latin1");
    await rm(folder, { recursive: true });
    expect(pdf).toContain("%%EOF");
    expect(pdf).toContain("DejaVuSans");
    const { stdout } = await tollgate("statement", "list", "--account", account);
    expect(stdout).toMatch(/^\d{6} \d{4}-\d{2} acct_\S+ \S+ closing 1\.000000 USD\n$/);
  });
});
