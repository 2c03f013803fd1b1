import { randomUUID } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import { RequestOrder, UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { AmountOrder } from "@tollgate/proto/tollgate/v1/list";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { listConversationEntries } from "../src/conversations.ts";
import { PrismaClient } from "../src/generated/client.ts";
import { countFallbacks } from "../src/overview.ts";
import {
  findCharge,
  findCharges,
  findMissing,
  listEntries,
  sumSpend,
} from "../src/read-entries.ts";
import { findRequests } from "../src/requests.ts";
import { sumUsage } from "../src/usage-sums.ts";
import { sumWallets } from "../src/wallet-sums.ts";
import { createLedgerDatabase, openLedger, openWallet, usageEvent } from "./ledger-database.ts";

/** The captures of the account, besides its top-up. */
const captured = 50;

describe("reads of the ledger", () => {
  let pool: pg.Pool;
  let prisma: PrismaClient;
  let accountId: string;
  const statements: { text: string; values: unknown[] }[] = [];

  beforeAll(async () => {
    const url = await createLedgerDatabase(inject("postgresUrl"));
    const writer = await openLedger(url);
    accountId = await openWallet(writer, 10n ** 12n);
    const capture = createCapture(writer);
    await Promise.all(
      Array.from({ length: captured }, () =>
        capture(usageEvent({ accountId, costNanoUsd: 1_000n })),
      ),
    );
    await writer.end();
    // As in the service, a plan scans only where no index is usable.
    const options = "-c search_path=ledger -c enable_seqscan=off";
    pool = new pg.Pool({ connectionString: url, options, max: 2 });
    pool.on("connect", recordQueries);
    prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "ledger" }) });
  });

  afterAll(() => pool.end());

  function recordQueries(client: pg.PoolClient): void {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query(...args: unknown[]) {
        const [first, second] = args as [string | pg.QueryConfig, unknown[] | undefined];
        const text = typeof first === "string" ? first : first.text;
        const values = (typeof first === "string" ? second : first.values) ?? second ?? [];
        if (text.trimStart().match(/^(SELECT|WITH)/))
          statements.push({ text, values: [...values] });
        return query(...args);
      },
    });
  }

  /** Resolves with the plans of all statements that `read` runs. */
  async function plansOf(read: () => Promise<unknown>): Promise<string> {
    statements.length = 0;
    await read();
    const executed = [...statements];
    expect(executed.length).toBeGreaterThan(0);
    const plans: string[] = [];
    for (const { text, values } of executed) {
      const { rows } = await pool.query(`EXPLAIN ${text}`, values);
      plans.push(...rows.map((row) => String(row["QUERY PLAN"])));
    }
    return plans.join("\n");
  }

  const month = {
    from: new Date("2026-03-01T01:00Z"),
    to: new Date("2026-04-01T02:00Z"),
    by: UsageBy.MODEL,
  };
  const someIds = Array.from({ length: 100 }, () => `req_${randomUUID()}`);

  test.each<[string, () => Promise<unknown>]>([
    ["the trailing spend", () => sumSpend(pool, accountId, new Date(Date.now() - 30 * 86_400_000))],
    [
      "the settlement lookup",
      () => findCharges(pool, { accountId, requestIds: someIds, withinMs: 86_400_000 }),
    ],
    ["the charge of a request", () => findCharge(pool, someIds[0] ?? "")],
    ["the events that are not recorded", () => findMissing(pool, someIds)],
    ["a page of entries", () => page("")],
    ["the next page", async () => page((await newest()).id)],
    ["the first page", () => page("", { order: AmountOrder.OLDEST })],
    ["the largest entries", () => page("", { order: AmountOrder.LARGEST })],
    [
      "the largest entries of all accounts",
      () => page("", { order: AmountOrder.LARGEST, accountId: "" }),
    ],
    ["the entries of a key", () => page("", { filter: { keyId: "key_1" } })],
    ["the requests that were charged most", () => sorted(RequestOrder.CHARGED, accountId)],
    ["the slowest requests of all accounts", () => sorted(RequestOrder.DURATION, "")],
    ["the top-ups of an account", () => ofKind("top_up", accountId)],
    ["the refunds of all accounts", () => ofKind("refund", "")],
    ["the sums of all wallets", () => sumWallets(pool, { from: april, to: may })],
    [
      "a page of all accounts",
      () => listEntries({ pool, prisma }, { ...firstPage, accountId: "" }),
    ],
    ["the usage of all accounts", () => sumUsage(pool, { ...month, accountId: "" })],
    ["the usage of an account", () => sumUsage(pool, { ...month, accountId })],
    ["a page of requests with an error of all accounts", () => failures("", "")],
    [
      "the next page of an account's requests with an error, of a model",
      async () => failures(accountId, (await newest()).id),
    ],
    [
      "the models whose usage is not reported",
      () => countFallbacks(pool, { ...month, accountId: "" }),
    ],
    [
      "the entries of a conversation",
      () => listConversationEntries(prisma, { accountId, conversationId: "key_1/none" }),
    ],
  ])("%s uses an index and scans no table", async (_name, read) => {
    const plans = await plansOf(read);
    expect(plans).toContain("Index");
    expect(plans).not.toContain("Seq Scan");
  });

  test.each([
    "read_captures('{}', '{}')",
    "read_budgets('{}', '{}')",
  ])("%s becomes a part of the statement that calls it, which keeps its plan", async (call) => {
    const { rows } = await pool.query(`EXPLAIN SELECT * FROM ${call}`);
    const plan = rows.map((row) => String(row["QUERY PLAN"])).join("\n");
    expect(plan).toContain("Index");
    expect(plan).not.toContain("Function Scan on read_");
  });

  test("pages contain every entry, though those of one statement share a time", async () => {
    const all = new Set<string>();
    let last = "";
    for (let more = true; more; ) {
      const { entries, nextEntryId } = await page(last);
      for (const { id } of entries) all.add(id);
      last = nextEntryId;
      more = nextEntryId !== "";
    }
    expect(all.size).toBe(captured + 1);
  });

  const firstPage = { limit: 10, beforeEntryId: "" };

  const april = new Date("2026-04-01");
  const may = new Date("2026-05-01");

  function ofKind(kind: string, of: string) {
    return listEntries({ pool, prisma }, { ...firstPage, accountId: of, filter: { kind } });
  }

  function page(beforeEntryId: string, more: object = {}) {
    return listEntries({ pool, prisma }, { ...firstPage, accountId, beforeEntryId, ...more });
  }

  function sorted(order: RequestOrder, of: string) {
    const page = { onlyFailed: false, errorCode: "", limit: 10, beforeCursor: "" };
    return findRequests({ pool, prisma }, { ...page, accountId: of, order });
  }

  function failures(of: string, beforeCursor: string) {
    return findRequests(
      { pool, prisma },
      {
        ...{ accountId: of, errorCode: "upstream_rejected", onlyFailed: false },
        ...{ limit: 10, beforeCursor, from: new Date(Date.now() - 86_400_000) },
        ...(of !== "" && {
          filter: {
            ...{ $typeName: "tollgate.v1.UsageFilter", keyId: "", alias: "a" },
            ...{ provider: "", routeType: "", plan: "", tag: "", owner: "", endUser: "" },
            without: [],
          },
        }),
      },
    );
  }

  async function newest() {
    const [entry] = (await page("")).entries;
    if (entry === undefined) throw new Error("the account has entries");
    return entry;
  }
});
