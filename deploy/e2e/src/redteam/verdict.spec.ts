import { create } from "@bufbuild/protobuf";
import { EntrySchema } from "@tollgate/proto/tollgate/v1/ledger";
import { createCallLog, type RecordedCall } from "@tollgate/simulator/call-log";
import { expect, test } from "vitest";
import { randomAttack } from "./attack.ts";
import type { Attacker, Means } from "./attacker.ts";
import { judgeAttacks } from "./verdict.ts";

const attacker = (means: Means): Attacker => ({
  name: means,
  tactic: "leaves at a byte",
  means,
  accountId: "account",
  keys: [],
  credits: 1,
});

/** What the provider counted of a stream, and how the ledger charged it. */
interface Case {
  means?: Means;
  outcome?: RecordedCall["outcome"];
  fails?: boolean;
  stays?: boolean;
  charged: bigint;
  basis?: string;
  requestId?: string;
}

/** Judges one stream of 400 + 100 tokens, which cost 800,000 nano-USD. */
async function judged(one: Case): Promise<string> {
  const random = await randomAttack(1, 1, [attacker(one.means ?? "rich")]);
  const cost = ({ promptTokens, completionTokens }: RecordedCall) =>
    BigInt(promptTokens) * 1_000n + BigInt(completionTokens) * 4_000n;
  const call = { ...random.call, path: "/v1/chat/completions", isAudioStream: undefined, cost };
  const { isAudioStream: _, ...chat } = call;
  const departure = { by: "closing", afterBytes: 1, afterMs: 1 } as const;
  const attack = {
    ...{ ...random, call: chat, alias: "charge-chat-streams", copies: 1 },
    ...{ fails: one.fails ?? false, departure: one.stays ? undefined : departure },
  };
  const log = createCallLog();
  const recorded = log.record({
    ...{ at: 0, route: call.path, model: "m", stream: true, user: null, authorized: true },
    ...{ requestId: "req_1", body: undefined },
    traceparent: `00-5eed${"1".padStart(28, "0")}-${"1".repeat(16)}-00`,
  });
  Object.assign(recorded, {
    ...{ status: 200, outcome: one.outcome ?? "client_disconnected" },
    ...{ promptTokens: 400, completionTokens: 100 },
  });
  const entry = create(EntrySchema, {
    ...{ kind: "usage", accountId: "account", requestId: one.requestId ?? "req_1" },
    ...{ amountNanoUsd: -one.charged, basis: one.basis ?? "tokenized" },
  });
  const carriedOut = [{ attack, sights: [] }];
  return judgeAttacks(7, carriedOut, log.list(), [entry]).violations.join("\n");
}

test.each<[string, Case]>([
  ["within 15 % of the count", { charged: 700_000n }],
  ["exactly as reported", { charged: 800_000n, basis: "provider", outcome: "completed" }],
  ["nothing for a failure", { charged: 0n, fails: true, stays: true, outcome: "cut" }],
  ["what was delivered before a failure", { charged: 500_000n, fails: true, outcome: "cut" }],
  ["a micro-USD of the last call", { charged: 1_000n, means: "micro" }],
])("a charge of %s is no violation", async (_, one) => {
  expect(await judged(one)).toBe("");
});

test.each<[string, Case, string]>([
  ["nothing", { charged: 0n }, "served for nothing: request 1 ("],
  ["too little", { charged: 600_000n }, "seed 7, together: charged 0.75"],
  ["too much", { charged: 1_000_000n }, "seed 7, together: charged 1.25"],
  ["not as reported", { charged: 799_999n, basis: "provider" }, "not charged as reported"],
  ["a failure", { charged: 1n, fails: true, stays: true, outcome: "cut" }, "for a failure"],
  ["another request", { charged: 9n, requestId: "req_2" }, "req_2 charged 9, but the provider"],
  ["an empty wallet", { charged: 0n, means: "empty" }, "more than its last calls"],
  ["a spent budget", { charged: 60_000_000n, means: "budget" }, "more than its budget"],
])("a charge of %s is a violation", async (_, one, violation) => {
  expect(await judged(one)).toContain(violation);
});
