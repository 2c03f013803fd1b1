import { GatewayError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import type { BillingService, RefusalCount } from "@tollgate/proto/tollgate/v1/billing";
import type { Client } from "@tollgate/rpc/implementation";
import { expect, test, vi } from "vitest";
import { countRefusals } from "./refusals.ts";

function start(fails = 0) {
  const calls: Pick<RefusalCount, "accountId" | "code" | "requests">[][] = [];
  const recordRefusals = vi.fn(async ({ refusals }: { refusals: RefusalCount[] }) => {
    if (recordRefusals.mock.calls.length <= fails) throw new Error("billing is away");
    calls.push(refusals.map(({ accountId, code, requests }) => ({ accountId, code, requests })));
    return {};
  });
  const billing = { recordRefusals } as unknown as Client<typeof BillingService>;
  return { refusals: countRefusals(billing, createLog("silent")), calls, recordRefusals };
}

const limited = new GatewayError("rate_limited", "slow down");
const unknown = new GatewayError("invalid_api_key", "no such key");

test("refusals are summed by account and code, and failures are none", async () => {
  const { refusals, calls } = start();
  refusals.count(limited, "a");
  refusals.count(limited, "a");
  refusals.count(limited, "b");
  refusals.count(unknown, undefined);
  refusals.count(new GatewayError("upstream_rejected", "no"), "a");
  await refusals.stop();
  expect(calls).toEqual([
    [
      { accountId: "a", code: "rate_limited", requests: 2n },
      { accountId: "b", code: "rate_limited", requests: 1n },
      { accountId: "", code: "invalid_api_key", requests: 1n },
    ],
  ]);
});

test("what billing did not take is sent again with what came meanwhile", async () => {
  const { refusals, calls } = start(1);
  refusals.count(limited, "a");
  await refusals.stop();
  expect(calls).toEqual([]);
  refusals.count(limited, "a");
  await refusals.stop();
  expect(calls).toEqual([[{ accountId: "a", code: "rate_limited", requests: 2n }]]);
});

test("at most 1,000 sums are stored, so that wrong requests fill no memory", async () => {
  const { refusals, calls } = start();
  for (let n = 0; n < 1_001; n += 1) refusals.count(limited, `acct_${n}`);
  refusals.count(limited, "acct_0");
  await refusals.stop();
  expect(calls[0]).toHaveLength(1_000);
  expect(calls[0]?.[0]).toMatchObject({ accountId: "acct_0", requests: 2n });
});

test("nothing is sent where nothing was refused", async () => {
  const { refusals, recordRefusals } = start();
  await refusals.stop();
  expect(recordRefusals).not.toHaveBeenCalled();
});
