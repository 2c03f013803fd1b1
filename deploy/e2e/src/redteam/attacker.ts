import { randomUUID } from "node:crypto";
import { BudgetPeriod } from "@tollgate/proto/tollgate/v1/limits";
import { eventually } from "../eventually.ts";
import type { Stack, TestAccount } from "../stack.ts";

/** The ways in which attackers try to obtain more than they pay. */
export const tactics = [
  "leaves at a byte",
  "leaves at a moment",
  "resets",
  "half-closes",
  "falls silent",
  "sends slowly",
  "sends a part",
  "forges members",
  "repeats at once",
  "changes keys",
  "creates jobs",
  "streams audio",
] as const;

export type Tactic = (typeof tactics)[number] | "is honest" | "mixes";

/**
 * What an account has.
 *
 * - `rich`: enough for all that it does
 * - `empty`: nothing, so that no provider may be called for it
 * - `micro`: a micro-USD, and another now and then
 * - `whole`: a little, with the policy that leaves nothing uncollected
 * - `budget`: enough, and keys that share a small budget of the account
 */
export type Means = "rich" | "empty" | "micro" | "whole" | "budget";

/** An account that does one thing, so that the books of each tactic are compared apart. */
export interface Attacker {
  name: string;
  tactic: Tactic;
  means: Means;
  accountId: string;
  keys: TestAccount[];
  /** How often it got a micro-USD. */
  credits: number;
}

const creditUsd = { rich: 10_000, empty: 0, micro: 0.000_001, whole: 0.5, budget: 10_000 };
export const budgetNanoUsd = 50_000_000n;

export async function newAttacker(
  stack: Stack,
  tactic: Tactic,
  means: Means = "rich",
): Promise<Attacker> {
  const policy = means === "whole" ? "whole" : "";
  const first = await stack.newAccount(creditUsd[means], policy);
  const { accountId } = first;
  if (means === "budget") {
    const budget = { amountNanoUsd: budgetNanoUsd, period: BudgetPeriod.DAY };
    await stack.operator.updateAccount({ account: accountId, limits: { set: { budget } } });
  }
  const keys = [first, await newKey(stack, accountId), await newKey(stack, accountId)];
  return { name: `${means}, ${tactic}`, tactic, means, accountId, keys, credits: 1 };
}

/**
 * Creates a key in the place of another, which it revokes while requests of it are open. With
 * `graceSeconds`, it gives the key a new text instead, and both texts work that long: requests with one or
 * the other are of one key.
 */
export async function changeKey(
  stack: Stack,
  { accountId, keys }: Attacker,
  index: number,
  graceSeconds?: number,
): Promise<void> {
  const old = keys[index];
  if (old !== undefined && graceSeconds !== undefined) {
    const { keyId } = old;
    // Another request may have revoked it meanwhile.
    const rotated = await stack.operator.rotateKey({ keyId, graceSeconds }).catch(() => undefined);
    if (rotated === undefined) return;
    const { key } = rotated;
    keys[(index + (graceSeconds > 0 ? 1 : 0)) % keys.length] = { accountId, keyId, key };
    return;
  }
  const key = await newKey(stack, accountId);
  for (const [at, { keyId }] of keys.entries()) if (keyId === old?.keyId) keys[at] = key;
  // A busy machine can take longer than an operator's call.
  if (old !== undefined) await eventually(() => stack.operator.revokeKey({ keyId: old.keyId }));
}

export async function creditOneMicroUsd(stack: Stack, attacker: Attacker): Promise<void> {
  attacker.credits += 1;
  const { accountId: account } = attacker;
  const topUp = { account, amountNanoUsd: 1_000n, reference: randomUUID() };
  await eventually(() => stack.operator.topUpWallet(topUp));
}

async function newKey(stack: Stack, accountId: string): Promise<TestAccount> {
  const created = await eventually(() => stack.operator.createKey({ account: accountId }));
  const { keyId, key } = created;
  return { accountId, keyId, key };
}
