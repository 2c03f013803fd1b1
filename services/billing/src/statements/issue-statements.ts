import { create, type JsonObject, toJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { isDatabaseAway } from "@tollgate/core/database-away";
import { PeerError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { type Repeating, repeat } from "@tollgate/core/repeat";
import type { CreditService } from "@tollgate/proto/tollgate/v1/credit";
import { StatementSchema, type StatementSums } from "@tollgate/proto/tollgate/v1/statement";
import type { Client } from "@tollgate/rpc/implementation";
import type { Account, PrismaClient } from "../generated/client.ts";
import { monthsDue, monthText, startOfMonth } from "./months.ts";
import { readStatement } from "./stored-statements.ts";

export interface StatementParts {
  prisma: PrismaClient;
  credits: Client<typeof CreditService>;
  /** Who issues statements: the lines of a name and address. */
  issuer: readonly string[];
  now(): Date;
}

export interface IssuedStatements {
  /** How many statements were issued. */
  issued: number;
  problems: StatementProblem[];
}

/** Why an account did not get a statement that is due. */
export interface StatementProblem {
  accountId: string;
  /** A sentence for the operator. */
  message: string;
  /** The error, where it is not that the sums do not add up. */
  cause?: unknown;
}

/** The sums of an account's month do not add up. */
class InexactStatement extends Error {}

/** The name in a line that sums what is behind the listed keys of a model. */
const otherKeys = "other keys";
const accountsPerPage = 200;
const timeoutMs = 30_000;
const hourMs = 60 * 60 * 1_000;

/** Issues the statements that are due, every hour. */
export function repeatStatements(parts: StatementParts & { log: Log }): Repeating {
  const { log } = parts;
  async function run(): Promise<void> {
    try {
      const { issued, problems } = await issueStatements(parts);
      if (issued > 0) log.info({ issued }, "statements issued");
      for (const { accountId, message: problem, cause } of problems) {
        const reason = cause instanceof Error ? { reason: cause.message } : {};
        log.error({ account_id: accountId, problem, ...reason }, "statement not issued");
      }
    } catch (error) {
      const reason = (error as Error).message;
      log.error({ reason }, "issuing statements failed and will be retried");
    }
  }
  return repeat(run, { everyMs: hourMs });
}

/**
 * Issues the statements of all accounts that are due. Calls may run at the same time: a month of an account
 * gets one statement. An account that fails gets none, is named in a problem, and is due again at the next call.
 * Throws where the ledger or the database cannot be reached, without which no account gets one.
 */
export async function issueStatements(parts: StatementParts): Promise<IssuedStatements> {
  const problems: StatementProblem[] = [];
  let issued = 0;
  let after = "";
  for (;;) {
    const accounts = await parts.prisma.account.findMany({
      where: { id: { gt: after } },
      orderBy: { id: "asc" },
      take: accountsPerPage,
    });
    for (const account of accounts) {
      try {
        issued += await issueOfAccount(parts, account);
      } catch (error) {
        if (isOutage(error)) throw error;
        problems.push(problemOf(account.id, error));
      }
    }
    const last = accounts.at(-1);
    if (last === undefined) return { issued, problems };
    after = last.id;
  }
}

/** Returns whether the next account would fail, too: not where one call took too long. */
function isOutage(error: unknown): boolean {
  if (error instanceof PeerError) return error.reason !== "deadline";
  return isDatabaseAway(error);
}

function problemOf(accountId: string, error: unknown): StatementProblem {
  if (error instanceof InexactStatement) return { accountId, message: error.message };
  const message =
    `the statements of ${accountId} that are due could not be issued: billing tries again every ` +
    "hour, and logs why they fail";
  return { accountId, message, cause: error };
}

async function issueOfAccount(parts: StatementParts, account: Account): Promise<number> {
  const { prisma, credits, now } = parts;
  const last = await prisma.statement.findFirst({
    where: { accountId: account.id },
    orderBy: { month: "desc" },
  });
  let closing = last === null ? undefined : readStatement(last).sums?.closingNanoUsd;
  let issued = 0;
  for (const month of monthsDue(last?.month, now())) {
    const { sums } = await credits.sumStatement({
      accountId: account.id,
      from: timestampFromDate(month),
      to: timestampFromDate(startOfMonth(month, 1)),
    });
    if (sums === undefined || isEmpty(sums)) continue;
    requireExact(account, month, sums, closing);
    if (await issue(parts, account, month, sums)) issued += 1;
    closing = sums.closingNanoUsd;
  }
  return issued;
}

/** Whether the wallet was empty during the whole month, and had no entries. */
function isEmpty({ openingNanoUsd, closingNanoUsd, ...sums }: StatementSums): boolean {
  const { topUps, refunds, adjustments, charges } = sums;
  const lines = topUps.length + refunds.length + adjustments.length + charges.length;
  return openingNanoUsd === 0n && closingNanoUsd === 0n && lines === 0;
}

/** Throws an InexactStatement unless the sums add up, and the opening balance is the closing balance of the last statement. */
function requireExact(
  { id }: Account,
  month: Date,
  sums: StatementSums,
  closing: bigint | undefined,
): void {
  const { openingNanoUsd, closingNanoUsd, chargesNanoUsd, ...added } = sums;
  const { topUpsNanoUsd, refundsNanoUsd, adjustmentsNanoUsd } = added;
  const end = openingNanoUsd + topUpsNanoUsd + refundsNanoUsd + adjustmentsNanoUsd - chargesNanoUsd;
  const name = `the statement of ${id} for ${monthText(month)}`;
  if (end !== closingNanoUsd)
    throw new InexactStatement(`${name} does not add up: run tollgate ledger verify`);
  if (closing === undefined || closing === openingNanoUsd) return;
  throw new InexactStatement(`${name} does not begin with the balance of the last one`);
}

/** Stores a statement with the next number. Resolves with false if the month already has one. */
function issue(
  { prisma, issuer, now }: StatementParts,
  account: Account,
  month: Date,
  sums: StatementSums,
): Promise<boolean> {
  const { id: accountId, name } = account;
  return prisma.$transaction(
    async (transaction) => {
      // The lock makes the numbers consecutive, and a transaction that fails leaves no gap.
      const [counter] = await transaction.$queryRaw<{ next: bigint }[]>`
        SELECT next FROM statement_counter FOR UPDATE`;
      const number = counter?.next ?? 1n;
      const which = { accountId_month: { accountId, month } };
      if ((await transaction.statement.findUnique({ where: which })) !== null) return false;
      const profile = await transaction.billingProfile.findUnique({ where: { accountId } });
      const keyIds = sums.charges.map(({ keyId }) => keyId);
      const keys = await transaction.apiKey.findMany({ where: { id: { in: keyIds } } });
      const names = new Map(keys.map((key) => [key.id, key.name]));
      const issuedAt = now();
      const statement = create(StatementSchema, {
        ...{ number, accountId, accountName: name, month: monthText(month) },
        issuedAt: timestampFromDate(issuedAt),
        issuer: [...issuer],
        customer: profile === null ? [name] : profileLines(profile),
        sums: {
          ...sums,
          charges: sums.charges.map((one) => ({
            ...one,
            keyName: one.keyId === "" ? otherKeys : (names.get(one.keyId) ?? ""),
          })),
        },
      });
      const document = toJson(StatementSchema, statement) as JsonObject;
      const data = { number, accountId, month, issuedAt, document: document as object };
      await transaction.statement.create({ data });
      await transaction.statementCounter.updateMany({ data: { next: number + 1n } });
      return true;
    },
    { timeout: timeoutMs, maxWait: timeoutMs },
  );
}

/** Returns the lines of a name, an address and a tax id, without empty ones. */
function profileLines(profile: { name: string; address: string; taxId: string }): string[] {
  const lines = [profile.name, ...profile.address.split("\n"), profile.taxId];
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}
