import { Code } from "@connectrpc/connect";
import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";
import { describe, expect, test } from "vitest";
import { codeOf, connectConsole } from "../src/console-client.ts";
import { eventually } from "../src/eventually.ts";
import { chatBody, eventsOf, requestIdOf, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { type TestAccount, testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const { stack } = await sharedStack();

/** What a chat uses: at the list prices 5 milli-USD, and its provider charges 2.4. */
const used = simulate("usage=1000,1000");

describe("an account with a plan", () => {
  /** Gives an account a plan, and resolves once the gateway lists its price of an input token. */
  async function setPlan({ accountId, key }: TestAccount, plan: string, price: number) {
    await stack.operator.updateAccount({ account: accountId, plan });
    await eventually(async () => expect(await inputPrice(key)).toBe(price), { timeout: 15_000 });
  }

  async function inputPrice(key?: string): Promise<unknown> {
    const { body } = await send(`${stack.url}/v1/models/test-plan`, { key });
    return (body as { pricing: { input: number } }).pricing.input;
  }

  function chat({ key }: TestAccount, more: object = used) {
    const body = chatBody({ model: "test-plan", ...more });
    return send(`${stack.url}/v1/chat/completions`, { key, body });
  }

  /** Resolves with the record of a request, once it is captured. */
  function recordOf(id: string | null) {
    return eventually(async () => {
      const { requests } = await stack.operator.getRequest({ id: id ?? "" });
      return requests[0];
    });
  }

  function thisHour() {
    const now = BigInt(Math.floor(Date.now() / 3_600_000) * 3_600);
    return { from: { seconds: now - 3_600n }, to: { seconds: now + 3_600n } };
  }

  test("pays its prices and is shown them, and the entry has the plan and the provider's cost", async () => {
    const own = await stack.newAccount(1);
    await setPlan(own, "test-half", 0.5);
    expect(await inputPrice()).toBe(1);
    const response = await chat(own);
    expect(response.body).toMatchObject({ usage: { cost: 0.0025 } });
    const request = await recordOf(requestIdOf(response));
    expect(request).toMatchObject({
      ...{ plan: "test-half", chargedNanoUsd: 2_500_000n, providerCostNanoUsd: 2_400_000n },
      lines: [
        { dimension: "input", pricePicoUsd: 500_000_000_000n },
        { dimension: "output", pricePicoUsd: 2_000_000_000_000n },
      ],
    });
    const { entries } = await stack.operator.listLedger({ account: own.accountId });
    expect(entries[0]).toMatchObject({ plan: "test-half", providerCostNanoUsd: 2_400_000n });
    await setPlan(own, "test-own", 0.1);
    expect((await chat(own)).body).toMatchObject({ usage: { cost: 0.0006 } });
    const rerank = { model: "test-plan-rerank", query: "a", documents: ["a"] };
    const sorted = await send(`${stack.url}/v1/rerank`, { key: own.key, body: rerank });
    const unknown = await recordOf(requestIdOf(sorted));
    expect(unknown).toMatchObject({ plan: "test-own", chargedNanoUsd: 4_000_000n });
    expect(unknown?.providerCostNanoUsd).toBeUndefined();
    const { usage } = await stack.operator.readUsage({
      account: own.accountId,
      ...thisHour(),
      by: UsageBy.ACCOUNT,
    });
    const sums = { providerCostNanoUsd: 4_800_000n, costedChargeNanoUsd: 3_100_000n };
    expect(usage?.sums).toMatchObject([{ chargedNanoUsd: 7_100_000n, ...sums }]);
    const overview = await stack.operator.readOverview({ account: own.accountId, ...thisHour() });
    expect(overview).toMatchObject(sums);
  });

  test("is charged what a stream was held for, though its plan changes meanwhile", async () => {
    const own = await stack.newAccount(1);
    await setPlan(own, "test-own", 0.1);
    const streamed = chat(own, {
      stream: true,
      ...simulate("chunks=30&gap_ms=100&usage=1000,1000"),
    });
    await eventually(async () => {
      const { holds } = await stack.operator.listHolds({ account: own.accountId });
      expect(holds).toHaveLength(1);
    });
    await setPlan(own, "", 1);
    const response = await streamed;
    expect(eventsOf(response.text).at(-1)).toBe("[DONE]");
    const request = await recordOf(requestIdOf(response));
    expect(request).toMatchObject({ plan: "test-own", chargedNanoUsd: 600_000n });
    expect((await chat(own)).body).toMatchObject({ usage: { cost: 0.005 } });
  });

  test("sees its prices in the console, and not what its requests cost the operator", async () => {
    const own = await stack.newAccount(1);
    await setPlan(own, "test-half", 0.5);
    const id = requestIdOf(await chat(own)) ?? "";
    await recordOf(id);
    const token = { name: "plan", role: OperatorRole.CUSTOMER, account: own.accountId };
    const { text } = await stack.operator.createOperatorToken(token);
    const { operator } = connectConsole(stack.consoleUrl, { authorization: `Bearer ${text}` });
    const { models, plan } = await operator.listPrices({});
    expect(plan).toBe("test-half");
    const prices = models.find(({ alias }) => alias === "test-plan")?.prices;
    expect(prices).toMatchObject([{ dimension: "input", pricePicoUsd: 500_000_000_000n }, {}, {}]);
    const { requests, entries } = await operator.getRequest({ id });
    expect(requests[0]).toMatchObject({ plan: "test-half", chargedNanoUsd: 2_500_000n });
    for (const one of [...requests, ...entries]) {
      expect(one.providerCostNanoUsd).toBeUndefined();
    }
    const { usage } = await operator.readUsage({ ...thisHour(), by: UsageBy.MODEL });
    const overview = await operator.readOverview(thisHour());
    const hidden = { providerCostNanoUsd: 0n, costedChargeNanoUsd: 0n };
    expect([usage?.sums[0], overview]).toMatchObject([hidden, hidden]);
    const change = operator.updateAccount({ account: own.accountId, plan: "test-own" });
    expect(await codeOf(change)).toBe(Code.PermissionDenied);
  });

  test("gets it by the command, which is audited and refuses a plan that there is not", async () => {
    const { accountId } = await stack.newAccount(0);
    const tollgate = (...args: string[]) => runTollgate(stack.operatorAddress, testSecrets, args);
    const set = await tollgate("account", "plan", accountId, "test-half", "--json");
    expect(set.json()).toMatchObject({ id: accountId, plan: "test-half" });
    expect((await tollgate("account", "show", accountId)).stdout).toContain("plan: test-half");
    const refused = await tollgate("account", "plan", accountId, "platinum");
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("test-half, test-own"),
    });
    expect((await tollgate("account", "plan", accountId, "none", "--json")).json()).toMatchObject({
      plan: null,
    });
    const { records } = await stack.operator.listAudit({ account: accountId });
    expect(records.slice(0, 2).map(({ before, after }) => [before, after])).toEqual([
      ['{"plan":"test-half"}', "{}"],
      ["{}", '{"plan":"test-half"}'],
    ]);
  });

  test("whose plan a catalog lacks is named when the catalog is checked", async () => {
    const { accountId } = await stack.newAccount(0);
    await stack.operator.updateAccount({ account: accountId, plan: "test-half" });
    const text = "providers: {}\nmodels: []\nplans: { test-own: {} }\n";
    const { errors, warnings } = await stack.operator.checkCatalog({ text });
    expect(errors).toEqual([]);
    expect(warnings).toContainEqual(
      expect.stringMatching(/^plans: test-half is missing: \d+ account/),
    );
    expect(warnings.join()).not.toContain("test-own");
  });
});
