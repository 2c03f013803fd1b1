import { expect } from "vitest";
import { eventually } from "../eventually.ts";
import { readWalletRow } from "../ledger.ts";
import { send } from "../request.ts";
import type { Stack } from "../stack.ts";
import type { BegunCall } from "./begin-call.ts";
import { aliasOf } from "./billed-calls.ts";
import { newSerialKey } from "./in-progress.ts";
import type { Cell } from "./matrix.ts";
import { soon } from "./soon.ts";

/**
 * Waits for the entry of a call, and checks that it charges what the cell says. The account of a job,
 * and of a call without an entry, has no other call. `held` is what was held for the call.
 */
export async function expectCharge(
  stack: Stack,
  cell: Cell,
  open: BegunCall,
  held = 0n,
): Promise<void> {
  if (cell.charge === "unrecorded") return expectNoEntry(stack, cell, open);
  const requestId =
    cell.form === "job" ? await readJob(stack, cell, open) : open.recorded.requestId;
  const { kind, amountNanoUsd } = await soon(async () => {
    const { accountId: account } = open.account;
    const { entries } = await stack.operator.listLedger({ account, limit: 99 });
    const found = entries.filter((entry) => entry.requestId === requestId);
    expect(found, `${cell.call.path}: ${cell.ending}`).toHaveLength(1);
    return found[0] as (typeof entries)[number];
  });
  const charged = -amountNanoUsd;
  const cost = cell.call.cost(open.recorded);
  switch (cell.charge) {
    case "nothing":
      expect([kind, charged]).toEqual(["failure", 0n]);
      return;
    case "reported":
      expect([kind, charged]).toEqual(["usage", cost]);
      return;
    case "delivered":
      expect(kind).toBe("usage");
      expect(Number(charged)).toBeGreaterThanOrEqual(0.85 * Number(cost));
      expect(Number(charged)).toBeLessThanOrEqual(1.15 * Number(cost));
      return;
    case "held":
      expect(kind).toBe("usage");
      // Less than a token of output remains.
      expect(held - charged).toBeGreaterThanOrEqual(0n);
      expect(Number(charged)).toBeGreaterThan(0.99 * Number(held));
  }
}

/** Holds of processes that were killed take a while to expire. */
async function expectNoEntry(stack: Stack, cell: Cell, { account }: BegunCall): Promise<void> {
  await eventually(async () => {
    const { entries, held } = await readWalletRow(stack, account);
    const found = [cell.call.path, cell.ending, held, entries.map(({ kind }) => kind)];
    expect(found).toEqual([cell.call.path, cell.ending, 0n, ["top_up"]]);
  });
}

/**
 * Reads the job of a creation whose response its client may not have received. The provider's response
 * waits for the release, as that of the creation does. Resolves with the id of the request that read it.
 */
async function readJob(stack: Stack, { call }: Cell, { account }: BegunCall) {
  const { accountId } = account;
  const jobId = await soon(async () => {
    const { holds } = await stack.operator.listHolds({ account: accountId });
    expect(holds).toMatchObject([{ jobId: expect.stringMatching(/./) }]);
    return holds[0]?.jobId;
  });
  const { key } = await newSerialKey(stack, accountId);
  const reading = send(`${stack.url}${call.path}/${jobId}?model=${aliasOf(call, "held")}`, { key });
  let hasRead = false;
  const read = reading.finally(() => {
    hasRead = true;
  });
  await soon(() => {
    stack.simulator.release();
    expect(hasRead).toBe(true);
  });
  const { status, headers } = await read;
  expect(status).toBe(200);
  return headers.get("x-request-id");
}
