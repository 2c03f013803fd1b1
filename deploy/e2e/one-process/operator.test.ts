import { randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { FleetSecrets } from "@tollgate/core/peer-auth";
import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { chatBody, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const { stack } = await sharedStack();
const dayMs = 86_400_000;

describe("the tollgate command", () => {
  function tollgate(...args: string[]) {
    return runTollgate(stack.operatorAddress, testSecrets, args);
  }

  test("creates an account and a key that works, lists its entries and usage, and verifies the ledger", async () => {
    const account = (
      await tollgate("account", "create", "acme", "--credit", "2.50", "--json")
    ).json();
    expect(account).toMatchObject({ name: "acme", balance_usd: "2.500000" });
    const created = (await tollgate("key", "create", "acme", "--json")).json();
    expect(created.key).toMatch(/^sk-tollgate-[A-Za-z0-9_-]{43}$/);
    const url = `${stack.url}/v1/chat/completions`;
    expect((await send(url, { key: created.key, body: chatBody() })).status).toBe(200);
    await eventually(async () => {
      const list = await tollgate("ledger", "list", "--account", "acme", "--json");
      const { entries } = list.json();
      expect(entries.map((entry: { kind: string }) => entry.kind)).toEqual(["usage", "top_up"]);
    });
    const usage = (...args: string[]) => tollgate("usage", "--account", "acme", ...args);
    const byModel = (await usage("--json")).json();
    expect(byModel.usage).toEqual([
      expect.objectContaining({ model: chatBody().model, requests: 1, failed_requests: 0 }),
    ]);
    const [spent] = byModel.usage;
    expect(spent.prompt_tokens + spent.completion_tokens).toBe(spent.quantities.tokens);
    const today = new Date().toISOString().slice(0, 10);
    expect((await usage("--by", "day", "--from", "2026-01-01")).stdout).toMatch(
      new RegExp(`^usage from .*\\nDAY +REQUESTS .*\\n${today} +1 +0 .* ${spent.charged_usd}\\n$`),
    );
    const csv = (await usage("--by", "key", "--csv")).stdout.split("\n");
    expect(csv[0]).toMatch(/^key,key_name,account_id,requests,.*,costed_charge_usd$/);
    expect(csv[1]).toMatch(new RegExp(`^${created.id},[^,]+,${account.id},1,0,`));
    expect(csv[2]).toBe("");
    const entries = await tollgate("ledger", "list", "--account", account.id, "--csv");
    const page = { account: account.id, limit: 50, asCsv: true };
    expect(entries.stdout).toBe((await stack.operator.listLedger(page)).csv);
    expect(entries.stdout).toMatch(/^id,recorded_at,account_id,kind,amount_usd,.*\n.*,usage,-/);
    const month = await tollgate("ledger", "month", "--csv");
    expect(month.stdout).toMatch(new RegExp(`^account_id,account,.*\n(.*\n)*${account.id},`));
    const revoked = await tollgate("key", "revoke", created.id);
    expect(revoked.code).toBe(0);
    await expect
      .poll(async () => (await send(url, { key: created.key, body: chatBody() })).status, {
        // Without the notice the cache would refresh after 2.5 s.
        timeout: 2_000,
      })
      .toBe(403);
    expect(await tollgate("ledger", "verify")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("no discrepancies"),
    });
  });

  test("sums usage by two dimensions, by the tags and owners of keys, with times and names", async () => {
    const account = randomUUID();
    await stack.operator.createAccount({ name: account, creditNanoUsd: 1_000_000_000n });
    const policy = { tags: ["nightly", "eu"], owner: "ada" };
    const { keyId, key, details } = await stack.operator.createKey({ account, ...policy });
    const url = `${stack.url}/v1/chat/completions`;
    expect((await send(url, { key, body: chatBody() })).status).toBe(200);
    const today = Math.floor(Date.now() / dayMs) * dayMs;
    const period = {
      from: timestampFromDate(new Date(today - dayMs)),
      to: timestampFromDate(new Date(today + 2 * dayMs)),
    };
    const read = (filter: { owner: string }) =>
      stack.operator.readUsage({
        ...{ account, ...period, filter, withTimes: true },
        ...{ by: UsageBy.KEY, thenBy: UsageBy.ROUTE },
      });
    const { usage, names } = await eventually(async () => {
      const found = await read({ owner: "ada" });
      expect(found.usage?.sums).toHaveLength(1);
      return found;
    });
    expect(usage?.sums).toMatchObject([
      { name: keyId, thenName: "chat", requests: 1n, durationP99Ms: expect.any(Number) },
    ]);
    expect(names).toEqual({ [keyId]: details?.shownKey });
    expect((await read({ owner: "nobody" })).usage?.sums).toEqual([]);
    const by = ["--account", account, "--by", "tag,model", "--owner", "ada", "--csv"];
    const [header, ...lines] = (await tollgate("usage", ...by)).stdout.split("\n");
    expect(header).toMatch(/^tag,model,requests,/);
    expect(lines.map((line) => line.split(",").slice(0, 3).join())).toEqual([
      `eu,${chatBody().model},1`,
      `nightly,${chatBody().model},1`,
      "",
    ]);
  });

  test("lists what a charge consists of, and what the provider reported", async () => {
    await tollgate("account", "create", "itemised", "--credit", "1");
    const { key } = (await tollgate("key", "create", "itemised", "--json")).json();
    const url = `${stack.url}/v1/chat/completions`;
    const response = await send(url, { key, body: chatBody(simulate("usage=120,40")) });
    expect(response.body).toMatchObject({ usage: { cost: 0.000_042 } });
    await eventually(async () => {
      const list = await tollgate("ledger", "list", "--account", "itemised", "--json");
      expect(list.json().entries[0]).toMatchObject({
        amount_nano_usd: "-42000",
        lines: [
          {
            dimension: "input",
            quantity: 120,
            price_usd: "0.15",
            per: 1_000_000,
            amount_nano_usd: "18000",
          },
          {
            dimension: "output",
            quantity: 40,
            price_usd: "0.6",
            per: 1_000_000,
            amount_nano_usd: "24000",
          },
        ],
        provider_usage: { prompt_tokens: 120, completion_tokens: 40, total_tokens: 160 },
      });
    });
  });

  test("tops up once per reference, and refuses the reference with another amount", async () => {
    await tollgate("account", "create", "saver");
    const first = await tollgate(
      "wallet",
      "top-up",
      "saver",
      "5",
      "--reference",
      "inv-1",
      "--json",
    );
    expect(first.json()).toMatchObject({ credited: true, balance_usd: "5.000000" });
    const again = await tollgate(
      "wallet",
      "top-up",
      "saver",
      "5",
      "--reference",
      "inv-1",
      "--json",
    );
    expect(again.json()).toMatchObject({ credited: false, balance_usd: "5.000000" });
    const other = await tollgate("wallet", "top-up", "saver", "6", "--reference", "inv-1");
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining("another amount") });
  });

  test("without the secrets nothing is done, and the error names them", async () => {
    const { fleet, operator } = testSecrets;
    const incomplete: FleetSecrets[] = [
      { fleet: "another", operator },
      { fleet },
      { fleet, operator: "another" },
    ];
    for (const secrets of incomplete) {
      const { code, stderr } = await runTollgate(stack.operatorAddress, secrets, [
        "account",
        "create",
        "intruder",
      ]);
      expect(code).toBe(1);
      expect(stderr).toContain("set TOLLGATE_FLEET_SECRET and TOLLGATE_OPERATOR_SECRET");
    }
    const { json } = await tollgate("ledger", "verify", "--json");
    expect(json()).toBeDefined();
    const created = await tollgate("account", "create", "intruder");
    expect(created.code).toBe(0);
  });
});
