-- Adds the charges of the owners, which are an account, its keys and their end users, to what they
-- have spent in the periods of their budgets. A charge of a later period begins that period, and
-- one of an earlier period changes nothing. Owners without limits are skipped. IS TRUE keeps
-- Postgres from using the index on account_id, which would read the limits of all keys of the
-- account.
-- Locks: the caller has locked the wallet.
CREATE OR REPLACE FUNCTION add_spent(
  owners text[], account text, charges bigint[], at timestamptz
)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE usage_limit SET
    spent_nano_usd = charges[array_position(owners, owner_id)] + CASE
      WHEN at < period_end THEN spent_nano_usd ELSE 0 END,
    period_start = CASE WHEN at < period_end THEN period_start
      ELSE greatest(period_end, find_period_start(budget_period, at, time_zone)) END,
    period_end = CASE WHEN at < period_end THEN period_end
      ELSE find_period_end(budget_period, at, time_zone) END
  WHERE owner_id = ANY (owners) AND (account_id = account) IS TRUE AND at >= period_start;
END $$;
