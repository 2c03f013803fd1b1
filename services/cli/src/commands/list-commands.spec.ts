import { RequestOrder, UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { AmountOrder, TimeOrder } from "@tollgate/proto/tollgate/v1/list";
import { AccountOrder, KeyOrder } from "@tollgate/proto/tollgate/v1/operator";
import { PaymentState } from "@tollgate/proto/tollgate/v1/payment";
import { expect, test } from "vitest";
import { commands } from "../commands.ts";
import { help } from "../help.ts";
import type { CommandOptions, OperatorClient, Output } from "./command.ts";

const ordered = Object.entries(commands).filter(([, { options }]) => options.includes("order"));
const ofAda = { search: "ada", order: "oldest", limit: "7" };
const searched = { search: "ada", order: TimeOrder.OLDEST, limit: 7 };

/** Runs a list whose call has a response. Resolves with its output and the call's request. */
async function runList(
  name: string,
  { args = [], options }: { args?: string[]; options: CommandOptions },
  response: object,
): Promise<{ output: Output; request: unknown }> {
  let request: unknown;
  const called = async (sent: unknown) => {
    request = sent;
    return response;
  };
  const client = new Proxy({}, { get: () => called }) as OperatorClient;
  const output = await commands[name]?.run(args, options, () => client);
  if (output === undefined) throw new Error(`${name} is no command`);
  return { output, request };
}

test.each(
  ordered,
)("%s refuses an order that it does not have, and its help has those that it has", async (name, {
  run,
}) => {
  const call = () => {
    throw new Error("a call");
  };
  const refusal = await run([], { order: "no-such" }, call).catch((error: Error) => error.message);
  const [, texts = ""] = /^--order must be (.*)$/.exec(String(refusal)) ?? [];
  const orders = texts.split(/, | or /);
  expect(orders.length).toBeGreaterThan(1);
  const [, text = ""] = help.split(`\n  tollgate ${name} `);
  expect(text.split("\n  tollgate ")[0]).toContain(`[--order ${orders.join("|")}]`);
});

test("the lists of the console that have orders have them here", () => {
  const lists = ["account", "key", "request", "refusal", "ledger", "payments", "statement", "code"];
  const others = ["warning", "catalog", "audit", "operator", "operator token", "member"];
  const names = [...lists, ...others].map((one) => `${one} list`);
  expect(ordered.map(([name]) => name).toSorted()).toEqual([...names, "ledger month"].toSorted());
});

test.each([
  [
    ...(["account list", { ...ofAda, order: "name", before: "acct_1" }] as const),
    { ...searched, order: AccountOrder.NAME, beforeAccountId: "acct_1" },
    { accounts: [] },
  ],
  [
    ...(["key list", { ...ofAda, order: "last-used", before: "key_1" }] as const),
    { ...searched, account: "", order: KeyOrder.LAST_USED, beforeKeyId: "key_1" },
    { keys: [] },
  ],
  [
    ...(["refusal list", { ...ofAda, key: "key_1", before: "req_1" }] as const),
    { ...searched, account: "", keyId: "key_1", code: "", beforeRequestId: "req_1" },
    { refusals: [], nextRequestId: "" },
  ],
  [
    ...(["payments list", { ...ofAda, order: "amount", state: "refused", before: "p_1" }] as const),
    {
      ...{ ...searched, account: "", order: AmountOrder.LARGEST },
      ...{ state: PaymentState.REFUSED, beforePaymentId: "p_1" },
    },
    { payments: [], nextPaymentId: "" },
  ],
  [
    ...(["statement list", { ...ofAda, before: "12" }] as const),
    { ...searched, account: "", beforeNumber: 12n },
    { statements: [], nextNumber: 0n },
  ],
  [
    ...(["code list", { ...ofAda, before: "b_1" }] as const),
    { ...searched, beforeBatchId: "b_1" },
    { batches: [], nextBatchId: "" },
  ],
  [
    ...(["warning list", { ...ofAda, key: "key_1", open: true }] as const),
    { ...searched, account: "", keyId: "key_1", onlyOpen: true, beforeWarningId: "" },
    { warnings: [], nextWarningId: "" },
  ],
  [
    ...(["catalog list", { ...ofAda, before: "12" }] as const),
    { ...searched, beforeRevision: 12n },
    { revisions: [], nextRevision: 0n },
  ],
  [
    ...(["audit list", { ...ofAda, before: "a_1" }] as const),
    { ...searched, account: "", beforeId: "a_1" },
    { records: [], nextId: "" },
  ],
  [
    ...(["ledger list", { key: "key_1", order: "oldest", before: "e_1" }] as const),
    {
      ...{ account: "", asCsv: false, limit: 50, order: AmountOrder.OLDEST, beforeEntryId: "e_1" },
      filter: { kind: "", requestId: "", keyId: "key_1" },
    },
    { entries: [], nextEntryId: "" },
  ],
])("%s sends what %j asks for", async (name, options, request, response) => {
  const ran = await runList(name, { options }, response);
  expect(ran.request).toEqual(request);
  expect(ran.output).toMatchObject({ lines: ["none"], next: "" });
});

test("requests are listed by what they have, what they lack, their period and their order", async () => {
  const options = {
    ...{ plan: "gold", tag: ["ci"], without: ["model", "owner"], order: "duration" },
    ...{ from: "2026-11-01", to: "2026-11-02", failed: true },
  };
  const { request } = await runList("request list", { options }, { requests: [], nextCursor: "" });
  expect(request).toMatchObject({
    ...{ plan: "gold", tag: "ci", owner: "", without: [UsageBy.MODEL, UsageBy.OWNER] },
    ...{ order: RequestOrder.DURATION, onlyFailed: true, limit: 50 },
    from: { seconds: BigInt(Date.UTC(2026, 10, 1) / 1_000) },
    to: { seconds: BigInt(Date.UTC(2026, 10, 2) / 1_000) },
  });
});

test.each([
  ["request list", { without: ["account"] }, "--without must be model, key, provider, route,"],
  ["payments list", { state: "paid" }, "--state must be open, credited, failed or refused"],
  ["key list", { search: `sk-tollgate-${"x".repeat(43)}` }, "key find reads one from standard"],
  ["code list", { limit: "1001" }, "--limit must be a whole number from 1 to 1000"],
  ["ledger month", { csv: true, order: "name" }, "--csv has every account"],
])("%s refuses %j", async (name, options, message) => {
  await expect(runList(name, { options }, {})).rejects.toThrow(message);
});

test("a page that is short, or empty, and not the last one says where the next one begins", async () => {
  const { output } = await runList("audit list", { options: {} }, { records: [], nextId: "a_9" });
  expect(output).toEqual({
    lines: ["none on this page"],
    json: { records: [], has_more: true, next: "a_9" },
    next: "a_9",
  });
});
