import { create } from "@bufbuild/protobuf";
import { EntrySchema } from "@tollgate/proto/tollgate/v1/ledger";
import { createCallLog, type RecordedCall } from "@tollgate/simulator/call-log";
import { expect, test } from "vitest";
import { randomAttack } from "./attack.ts";
import type { Attacker, Means, Tactic } from "./attacker.ts";
import { judgeAttacks } from "./verdict.ts";

const attacker = (means: Means, tactic: Tactic): Attacker => ({
  name: means,
  tactic,
  means,
  accountId: "account",
  keys: [],
  credits: 1,
});

/** What the provider counted of a stream, and how the ledger charged it. */
interface Case {
  means?: Means;
  tactic?: Tactic;
  outcome?: RecordedCall["outcome"];
  fails?: boolean;
  stays?: boolean;
  charged: bigint;
  basis?: string;
  requestId?: string;
  uncollected?: bigint;
  /** What its client received. */
  seen?: string;
  /** How many such requests there were. */
  times?: number;
}

/** Judges one stream of 400 + 100 tokens, which cost 800,000 nano-USD. */
async function judged(one: Case): Promise<string> {
  const { means = "rich", tactic = "leaves at a byte", requestId = "req_1" } = one;
  const random = await randomAttack(1, 1, [attacker(means, tactic)]);
  const cost = ({ promptTokens, completionTokens }: RecordedCall) =>
    BigInt(promptTokens) * 1_000n + BigInt(completionTokens) * 4_000n;
  const path = "/v1/chat/completions";
  const call = { ...random.call, name: "chat", path, isAudioStream: undefined, cost };
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
    ...{ kind: "usage", accountId: "account", requestId },
    ...{ amountNanoUsd: -one.charged, basis: one.basis ?? "tokenized" },
    uncollectedNanoUsd: one.uncollected ?? 0n,
  });
  const sights = one.seen === undefined ? [] : [{ status: 200, requestId, text: one.seen }];
  const calls = Array.from({ length: one.times ?? 1 }, () => log.list()).flat();
  return judgeAttacks(7, [{ attack, sights }], calls, [entry]).violations.join("\n");
}

test.each<[string, Case]>([
  ["within 15 % of the count", { charged: 700_000n }],
  ["exactly as reported", { charged: 800_000n, basis: "provider", outcome: "completed" }],
  [
    "what is reported of a prompt, and the rest by the tokenizer",
    { charged: 790_000n, basis: "provider" },
  ],
  ["nothing for a failure", { charged: 0n, fails: true, stays: true, outcome: "cut" }],
  ["what was delivered before a failure", { charged: 800_000n, fails: true, outcome: "cut" }],
  ["what its client ended", { charged: 800_000n, fails: true, outcome: "failed" }],
  [
    "what a revoked key ended",
    { charged: 800_000n, fails: true, stays: true, tactic: "changes keys", outcome: "hung" },
  ],
  ["a micro-USD of the last call", { charged: 1_000n, means: "micro" }],
])("a charge of %s is no violation", async (_, one) => {
  expect(await judged(one)).toBe("");
});

test.each<[string, Case, string]>([
  ["nothing", { charged: 0n }, "served for nothing: request 1 ("],
  ["too little", { charged: 600_000n }, "seed 7, together: charged 0.75"],
  ["too much", { charged: 1_000_000n }, "seed 7, together: charged 1.25"],
  [
    "not as reported",
    { charged: 799_999n, basis: "provider", outcome: "completed" },
    "not charged as reported",
  ],
  ["a failure", { charged: 1n, fails: true, stays: true, outcome: "cut" }, "for a failure"],
  [
    "a failure that its client saw",
    { charged: 800_000n, fails: true, outcome: "failed", seen: "event: error\ndata: {}\n\n" },
    "for a failure",
  ],
  ["more than was delivered", { charged: 950_000n, fails: true, outcome: "cut" }, "1.1875"],
  ["another request", { charged: 9n, requestId: "req_2" }, "req_2 charged 9, but the provider"],
  ["an empty wallet", { charged: 0n, means: "empty" }, "more than its last calls"],
  [
    "several last calls of a budget",
    { charged: 10_000_000n, means: "budget", uncollected: 400_000n, times: 2 },
    "400000 uncollected of more calls than its last",
  ],
  ["a spent budget", { charged: 60_000_000n, means: "budget" }, "more than its budget"],
])("a charge of %s is a violation", async (_, one, violation) => {
  expect(await judged(one)).toContain(violation);
});
