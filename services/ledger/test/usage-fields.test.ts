import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Outcome, type UsageEvent, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { usageFields } from "../src/usage-fields.ts";
import { createLedgerDatabase, openLedger, openWallet } from "./ledger-database.ts";

const typeNames: Record<string, string> = { "timestamp with time zone": "timestamptz" };

describe("the fields of a usage event", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
  });

  afterAll(() => pool.end());

  /** Resolves with the names and types of a table's columns or of a type's fields, in their order. */
  async function columnsOf(relation: string) {
    const { rows } = await pool.query<{ name: string; type: string }>(
      `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
      [relation],
    );
    return rows.map(({ name, type }) => ({ name, type: typeNames[type] ?? type }));
  }

  test("are those of the type that captures take, in its order", async () => {
    const listed = usageFields.map(({ name, type }) => ({ name, type }));
    expect(listed).toEqual(await columnsOf("usage_event"));
  });

  test("that entries store have columns of their types", async () => {
    const stored = usageFields.filter(({ entryColumn }) => entryColumn !== undefined);
    const columns = stored.map(({ entryColumn, type }) => ({ name: entryColumn, type }));
    expect(await columnsOf("entry")).toEqual(expect.arrayContaining(columns));
  });

  test.each([
    ["completed", Outcome.COMPLETED],
    ["failed", Outcome.FAILED],
  ])("are stored in the columns of their names, of a %s request", async (_, outcome) => {
    const accountId = await openWallet(pool, 1_000_000n);
    const event = distinctEvent(accountId, outcome);
    await createCapture(pool)(event);
    const entry = await readRow(`SELECT * FROM entry WHERE event_id = $1`, event.id);
    for (const { name, entryColumn, read } of usageFields) {
      if (entryColumn !== undefined)
        expect([name, entry[entryColumn]]).toEqual([name, read(event)]);
    }
    const cost = outcome === Outcome.FAILED ? 0n : event.costNanoUsd;
    const charged = outcome === Outcome.FAILED ? 0n : (event.reportedNanoUsd ?? 0n);
    expect(entry).toMatchObject({
      ...{ cost_nano_usd: cost, amount_nano_usd: -charged, uncollected_nano_usd: cost - charged },
    });
    const { id: entryId } = entry;
    const trail = await readRow("SELECT * FROM request_trail WHERE entry_id = $1", entryId);
    expect(trail).toMatchObject({ error_code: "upstream_rejected", account_id: accountId });
  });

  async function readRow(text: string, id: unknown): Promise<Record<string, unknown>> {
    const { rows } = await pool.query<Record<string, unknown>>(text, [id]);
    expect(rows).toHaveLength(1);
    return rows[0] ?? {};
  }
});

/** Returns an event whose fields all have values of their own. */
function distinctEvent(accountId: string, outcome: Outcome): UsageEvent {
  const id = `req_${outcome}_${accountId}`;
  return create(UsageEventSchema, {
    ...{ id, accountId, keyId: "a key", outcome, chargeId: `${id}-charge`, requestId: "a request" },
    ...{ holdId: "a hold", sharedHoldId: "a shared hold" },
    ...{ sharedNanoUsd: 1n, sharedTokens: 2n, sharedInProgress: 3 },
    ...{ costNanoUsd: 7_000n, reportedNanoUsd: 5_000n },
    ...{ providerCostNanoUsd: 6_001n, plan: "a plan" },
    ...{ routeType: "a route", alias: 'an "alias"', provider: "a provider" },
    ...{ upstreamModel: "a, model", unitType: "a unit", quantity: 8n, basis: "a (basis)" },
    ...{ corpusSize: 9n, promptTokens: 10n, completionTokens: 11n, cachedPromptTokens: 12n },
    ...{ conversationId: "a conversation", occurredAt: timestampFromDate(new Date(1_000)) },
    trail: { errorCode: "upstream_rejected" },
  });
}
