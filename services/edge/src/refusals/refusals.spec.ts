import type { IncomingMessage } from "node:http";
import { GatewayError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import type { BillingService, RecordRefusalsRequest } from "@tollgate/proto/tollgate/v1/billing";
import type { Client } from "@tollgate/rpc/implementation";
import { expect, test, vi } from "vitest";
import { createClientAddress } from "./client-address.ts";
import { maxInMinute, maxOfAccount, maxOfOwner } from "./refusal-queue.ts";
import type { RefusedRequest } from "./refusal-record.ts";
import { createRefusals } from "./refusals.ts";

type Sent = Pick<RecordRefusalsRequest, "refusals" | "records">;

function start(fails = 0) {
  const calls: Sent[] = [];
  const recordRefusals = vi.fn(async (sent: Sent) => {
    if (recordRefusals.mock.calls.length <= fails) throw new Error("billing is away");
    calls.push(sent);
    return {};
  });
  const clock = { now: new Date("2026-03-01T00:00:00Z") };
  const refusals = createRefusals({
    billing: { recordRefusals } as unknown as Client<typeof BillingService>,
    log: createLog("silent"),
    clientAddressOf: createClientAddress([]),
    now: () => clock.now,
  });
  const counts = () =>
    calls.map(({ refusals }) =>
      refusals.map(({ accountId, code, requests }) => ({ accountId, code, requests })),
    );
  return { refusals, calls, counts, recordRefusals, clock };
}

let requests = 0;

function request(fields: Partial<RefusedRequest> = {}, headers = {}): RefusedRequest {
  requests += 1;
  const socket = { remoteAddress: "203.0.113.7" };
  const req = { method: "POST", headers, socket } as unknown as IncomingMessage;
  return { req, requestId: `req_${requests}`, ...fields };
}

const limited = new GatewayError("rate_limited", "slow down");
const unknown = new GatewayError("invalid_api_key", "no such key");

test("refusals are summed by account and code, and failures are none", async () => {
  const { refusals, counts } = start();
  refusals.add(request({ accountId: "a" }), limited);
  refusals.add(request({ accountId: "a" }), limited);
  refusals.add(request({ accountId: "b" }), limited);
  refusals.add(request(), unknown);
  refusals.add(request({ accountId: "a" }), new GatewayError("upstream_rejected", "no"));
  await refusals.stop();
  expect(counts()).toEqual([
    [
      { accountId: "a", code: "rate_limited", requests: 2n },
      { accountId: "b", code: "rate_limited", requests: 1n },
      { accountId: "", code: "invalid_api_key", requests: 1n },
    ],
  ]);
});

test("a key that a client sends in another place is masked in its record", async () => {
  const { refusals, calls } = start();
  const key = `sk-tollgate-${"k".repeat(43)}`;
  const headers = { "user-agent": key, "x-client-request-id": key };
  const failure = new GatewayError("model_not_found", `There is no model "${key}".`, {
    param: `metadata.${key}`,
  });
  refusals.add(request({ alias: key }, headers), failure);
  await refusals.stop();
  const [record] = calls[0]?.records ?? [];
  const masked = "sk-tollgate-kkkk…kkkk";
  expect(record).toMatchObject({
    message: `There is no model "${masked}".`,
    param: `metadata.${masked}`,
    ...{ alias: masked, userAgent: masked, clientRequestId: masked },
  });
});

test("a record says what was refused, to whom and why", async () => {
  const { refusals, calls, clock } = start();
  const headers = { "user-agent": "OpenAI/Python 2.1.0", "x-client-request-id": "mine" };
  const known = { route: "/v1/chat/completions", accountId: "acct_1", keyId: "key_1" };
  const refused = request({ ...known, alias: "nul\0l", shownKey: "sk-tollgate-a…b" }, headers);
  const failure = new GatewayError("model_not_found", "x".repeat(2_000), { param: "model" });
  refusals.add(refused, failure);
  await refusals.stop();
  expect(calls[0]?.records).toEqual([
    expect.objectContaining({
      requestId: refused.requestId,
      refusedAt: expect.objectContaining({ seconds: BigInt(clock.now.getTime() / 1_000) }),
      status: 404,
      code: "model_not_found",
      message: "x".repeat(1_024),
      param: "model",
      method: "POST",
      route: "/v1/chat/completions",
      alias: "nul\u{fffd}l",
      accountId: "acct_1",
      keyId: "key_1",
      shownKey: "",
      clientAddress: "203.0.113.7",
      userAgent: "OpenAI/Python 2.1.0",
      clientRequestId: "mine",
    }),
  ]);
});

test("a failure of the gateway has a record, and one that the ledger records has none here", async () => {
  const { refusals, calls } = start();
  refusals.add(request(), new GatewayError("internal_error", "a bug"));
  refusals.add(request(), new GatewayError("upstream_rejected", "no", { hasRecord: true }));
  await refusals.stop();
  expect(calls[0]?.records.map(({ code }) => code)).toEqual(["internal_error"]);
});

test("a key, an address, an account and the process have few records in a minute", async () => {
  const { refusals, calls, clock } = start();
  const flood = () => {
    for (let n = 0; n < 1_000; n += 1) {
      refusals.add(request({ accountId: "a", keyId: "key_a" }), limited);
      refusals.add(request({ accountId: "many", keyId: `key_many_${n}` }), limited);
      refusals.add(request(), unknown);
    }
    refusals.add(request({ accountId: "b", keyId: "key_b" }), limited);
  };
  flood();
  clock.now = new Date(clock.now.getTime() + 60_000);
  flood();
  for (let n = 0; n < 1_000; n += 1) {
    refusals.add(request({ accountId: `c${n}`, keyId: `key_${n}` }), limited);
  }
  await refusals.stop();
  const records = calls.flatMap((call) => call.records);
  const of = (accountId: string) =>
    records.filter((record) => record.accountId === accountId).length;
  expect([of("a"), of(""), of("b")]).toEqual([2 * maxOfOwner, 2 * maxOfOwner, 2]);
  expect(of("many")).toBe(2 * maxOfAccount);
  expect(records).toHaveLength(2 * maxOfOwner + maxOfAccount + 1 + maxInMinute);
});

test("what billing did not take is counted again with what came meanwhile", async () => {
  const { refusals, calls, counts } = start(1);
  refusals.add(request({ accountId: "a" }), limited);
  await refusals.stop();
  expect(calls).toEqual([]);
  refusals.add(request({ accountId: "a" }), limited);
  await refusals.stop();
  expect(counts()).toEqual([[{ accountId: "a", code: "rate_limited", requests: 2n }]]);
});

test("at most 1,000 sums are stored, so that wrong requests fill no memory", async () => {
  const { refusals, counts } = start();
  for (let n = 0; n < 1_001; n += 1) refusals.add(request({ accountId: `acct_${n}` }), limited);
  refusals.add(request({ accountId: "acct_0" }), limited);
  await refusals.stop();
  expect(counts()[0]).toHaveLength(1_000);
  expect(counts()[0]?.[0]).toMatchObject({ accountId: "acct_0", requests: 2n });
});

test("nothing is sent where nothing was refused", async () => {
  const { refusals, recordRefusals } = start();
  await refusals.stop();
  expect(recordRefusals).not.toHaveBeenCalled();
});
