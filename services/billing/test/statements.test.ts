import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { PeerError } from "@tollgate/core/errors";
import type { CreditService } from "@tollgate/proto/tollgate/v1/credit";
import { StatementSumsSchema } from "@tollgate/proto/tollgate/v1/statement";
import type { Client } from "@tollgate/rpc/implementation";
import { afterAll, beforeAll, expect, test } from "vitest";
import { issueStatements } from "../src/statements/issue-statements.ts";
import { type BillingDatabase, openBillingDatabase } from "./billing-database.ts";

const usd = 1_000_000_000n;
const sums = create(StatementSumsSchema, { openingNanoUsd: usd, closingNanoUsd: usd });

let database: BillingDatabase;

beforeAll(async () => {
  database = await openBillingDatabase();
});

afterAll(() => database.stop());

/** Creates two accounts. Returns their ids, in the order in which statements are issued. */
async function newAccounts(): Promise<[string, string]> {
  const name = randomUUID();
  const ids: [string, string] = [`acc_${name}_1`, `acc_${name}_2`];
  for (const id of ids) await database.prisma.account.create({ data: { id, name: id } });
  return ids;
}

/** Issues statements with a ledger whose call for the account `failing` rejects with `error`. */
async function issue({ failing, error }: { failing?: string; error?: Error }) {
  const calls: string[] = [];
  const credits = {
    async sumStatement({ accountId }: { accountId: string }) {
      calls.push(accountId);
      if (accountId === failing) throw error;
      return { sums };
    },
  } as unknown as Client<typeof CreditService>;
  const parts = { prisma: database.prisma, credits, issuer: ["Gateway GmbH"] };
  const result = await issueStatements({
    ...parts,
    now: () => new Date("2026-11-15T00:00:00Z"),
  }).catch((rejection: unknown) => rejection);
  return { calls, result };
}

async function accountsWithStatement(ids: readonly string[]): Promise<string[]> {
  const where = { accountId: { in: [...ids] } };
  const found = await database.prisma.statement.findMany({ where, orderBy: { accountId: "asc" } });
  return found.map(({ accountId }) => accountId);
}

test.each([
  new Error("a bug"),
  new PeerError("deadline", "no response within 30000 ms"),
])("an account that fails (%s) is named, and gets its statement at the next run; others get theirs", async (error) => {
  const [failing, other] = await newAccounts();
  const { result } = await issue({ failing, error });
  expect(result).toMatchObject({ problems: [{ accountId: failing, cause: error }] });
  const { problems = [] } = result as { problems?: { message: string }[] };
  expect(problems[0]?.message).toContain(failing);
  expect(problems[0]?.message).not.toContain(error.message);
  expect(await accountsWithStatement([failing, other])).toEqual([other]);
  expect((await issue({})).result).toEqual({ issued: 1, problems: [] });
  expect(await accountsWithStatement([failing, other])).toEqual([failing, other]);
});

test("a ledger that cannot be reached is not called for each account", async () => {
  const [failing, other] = await newAccounts();
  const error = new PeerError("unavailable", "no replica of the ledger responds");
  const { calls, result } = await issue({ failing, error });
  expect(result).toBe(error);
  expect(calls).not.toContain(other);
  expect((await issue({})).result).toEqual({ issued: 2, problems: [] });
});
