import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { GatewayError } from "@tollgate/core/errors";
import { formatUsd, maxBalanceNanoUsd } from "@tollgate/core/money";
import {
  type Budget,
  BudgetPeriod,
  type Limits,
  type LimitUse,
  LimitUseSchema,
} from "@tollgate/proto/tollgate/v1/limits";
import type pg from "pg";

const maxOwners = 10_000;
const maxEndUsers = 100;
const maxBigint = 2n ** 63n - 1n;

/** Budgets are whole micro-USD, as balances and charges are. */
const nanoPerMicro = 1_000n;

export interface LimitSetting {
  accountId: string;
  /** The id of the key, or of the account. */
  ownerId: string;
  limits: Limits | undefined;
}

/**
 * Sets the limits of a key or an account in place of those that it has; without any, removes them.
 * Resolves with how much of them is used, or undefined without limits. Throws `invalid_param` for a
 * limit that is out of range. See sql/limits/set_limits.sql.
 */
export async function setLimits(
  pool: pg.Pool,
  { accountId, ownerId, limits }: LimitSetting,
): Promise<LimitUse | undefined> {
  if (accountId === "" || ownerId === "") {
    throw invalidParam("owner_id", "Limits need the id of a key or an account.");
  }
  if (limits) requireValid(limits, ownerId === accountId);
  const { budget, budgetPerUser: perUser } = limits ?? {};
  await pool.query({
    name: "set-limits",
    text: "SELECT set_limits($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    values: [
      ownerId,
      accountId,
      budget?.amountNanoUsd,
      budget && periodNames[budget.period],
      limits?.requestsPerMinute,
      limits?.tokensPerMinute,
      limits?.parallel,
      perUser?.amountNanoUsd,
      perUser && periodNames[perUser.period],
      limits?.requestsPerMinutePerUser,
    ],
  });
  const [use] = await listLimits(pool, [ownerId]);
  return use;
}

/**
 * Sets the time zone of an account's budgets, an IANA name: their days, weeks and months are of it from
 * the end of their present periods on. Throws `invalid_param` for an unknown zone. See
 * sql/limits/set_time_zone.sql.
 */
export async function setTimeZone(
  pool: pg.Pool,
  { accountId, timeZone }: { accountId: string; timeZone: string },
): Promise<void> {
  if (accountId === "") throw invalidParam("account_id", "A time zone needs an account.");
  const { rows } = await pool.query<{ is_set: boolean }>({
    name: "set-time-zone",
    text: "SELECT set_time_zone($1, $2) AS is_set",
    values: [accountId, timeZone],
  });
  if (rows[0]?.is_set) return;
  const message = "A time zone is an IANA name that the database knows, such as Europe/Berlin.";
  throw invalidParam("time_zone", message);
}

/**
 * Resolves with the limits of those owners that have any, and how much of them is used now, in no
 * order. Throws `invalid_param` for more than 10,000 owners.
 */
export async function listLimits(pool: pg.Pool, ownerIds: readonly string[]): Promise<LimitUse[]> {
  if (ownerIds.length > maxOwners) {
    throw invalidParam("owner_ids", "At most 10,000 ids can be listed at a time.");
  }
  const { rows } = await pool.query<{ use: JsonValue }>({
    name: "list-limits",
    text: "SELECT list_limits($1) AS use",
    values: [ownerIds],
  });
  return rows.map(({ use }) => fromJson(LimitUseSchema, use));
}

/**
 * Resolves with the limits of the end users of a key who have used it in the present period, and how much of
 * them is used: those who have spent most first, at most 100.
 */
export async function listEndUsers(
  pool: pg.Pool,
  { keyId, limit }: { keyId: string; limit: number },
): Promise<LimitUse[]> {
  const { rows } = await pool.query<{ use: JsonValue }>({
    name: "list-end-users",
    text: "SELECT list_end_users($1, $2) AS use",
    values: [keyId, Math.min(limit || maxEndUsers, maxEndUsers)],
  });
  return rows.map(({ use }) => fromJson(LimitUseSchema, use));
}

/** Deletes the limits of end users on which nothing depends. See sql/limits/delete_ended_users.sql. */
export async function deleteEndedUsers(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ deleted: number }>({
    name: "delete-ended-users",
    text: "SELECT delete_ended_users() AS deleted",
  });
  return rows[0]?.deleted ?? 0;
}

const periodNames: Partial<Record<BudgetPeriod, string>> = {
  [BudgetPeriod.DAY]: "day",
  [BudgetPeriod.WEEK]: "week",
  [BudgetPeriod.MONTH]: "month",
  [BudgetPeriod.TOTAL]: "total",
};

function requireValid(limits: Limits, isAccount: boolean): void {
  const { budget, budgetPerUser, requestsPerMinutePerUser: requestsPerUser } = limits;
  if (budget) requireValidBudget("budget", budget);
  requirePositive("requests_per_minute", limits.requestsPerMinute);
  requirePositive("tokens_per_minute", limits.tokensPerMinute);
  requirePositive("parallel", limits.parallel);
  requirePositive("requests_per_minute_per_user", requestsPerUser);
  if (budgetPerUser) {
    requireValidBudget("budget_per_user", budgetPerUser);
    if (budgetPerUser.period === BudgetPeriod.TOTAL) {
      // The rows of users are deleted at the end of a period: a total has none.
      throw invalidParam(
        "budget_per_user",
        "The period of a budget per user is day, week or month.",
      );
    }
  }
  if (isAccount && (budgetPerUser ?? requestsPerUser) !== undefined) {
    throw invalidParam(
      "budget_per_user",
      "A key has limits per end user, and an account has none.",
    );
  }
}

function requireValidBudget(param: string, { amountNanoUsd, period }: Budget): void {
  if (amountNanoUsd === 0n || amountNanoUsd % nanoPerMicro !== 0n) {
    throw invalidParam(param, "A budget is more than 0 USD, and has at most six decimals.");
  }
  if (amountNanoUsd > maxBalanceNanoUsd) {
    const most = formatUsd(maxBalanceNanoUsd);
    throw invalidParam(param, `A budget is at most ${most} USD, as a wallet is.`);
  }
  if (periodNames[period] === undefined) {
    throw invalidParam(param, "The period of a budget is day, week, month or total.");
  }
}

function requirePositive(param: string, limit: number | bigint | undefined): void {
  if (limit === undefined || (limit > 0 && limit <= maxBigint)) return;
  throw invalidParam(param, `The limit ${param} is a whole number from 1 to ${maxBigint}.`);
}

function invalidParam(param: string, message: string): GatewayError {
  return new GatewayError("invalid_param", message, { param });
}
