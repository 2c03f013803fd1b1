-- Sets the limits of an owner, a key of `account` or the account itself, in place of those that it
-- has. Without any limit its row is deleted. Opens the wallet if there is none. What was spent in the
-- current period, and what open holds hold and have in progress, counts at once; what the last minute
-- used counts if the owner had limits before.
-- Locks: the wallet first.
CREATE OR REPLACE FUNCTION set_limits(
  owner text, account text, budget bigint, period text, requests bigint, tokens bigint,
  max_in_progress bigint
)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  start timestamptz;
  spent bigint;
  held bigint;
  open_requests bigint;
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true);
  INSERT INTO wallet (account_id, balance_nano_usd, held_nano_usd) VALUES (account, 0, 0)
    ON CONFLICT DO NOTHING;
  PERFORM FROM wallet WHERE account_id = account FOR UPDATE;
  IF num_nonnulls(budget, requests, tokens, max_in_progress) = 0 THEN
    DELETE FROM usage_limit WHERE owner_id = owner AND account_id = account;
    RETURN;
  END IF;
  IF budget IS NOT NULL THEN
    -- A transaction that began later may have begun the next period already.
    start := greatest(find_period_start(period, now()), (
      SELECT l.period_start FROM usage_limit l
      WHERE l.owner_id = owner AND l.budget_period = period));
    -- Periods begin with a day. `usage_day` has few rows of an account.
    SELECT coalesce(sum(charged_nano_usd), 0) INTO spent FROM usage_day
      WHERE account_id = account AND day >= start AND (owner = account OR key_id = owner);
  END IF;
  SELECT coalesce(sum(h.amount_nano_usd), 0), coalesce(sum(h.in_progress), 0)
    INTO held, open_requests
    FROM hold h WHERE h.account_id = account AND (owner = account OR h.key_id = owner);
  INSERT INTO usage_limit AS l (owner_id, account_id, budget_nano_usd, budget_period, period_start,
    spent_nano_usd, held_nano_usd, in_progress, requests_per_minute, tokens_per_minute, parallel)
  VALUES (owner, account, budget, CASE WHEN budget IS NOT NULL THEN period END, start,
    coalesce(spent, 0), held, open_requests, requests, tokens, max_in_progress)
  ON CONFLICT (owner_id) DO UPDATE SET
    budget_nano_usd = excluded.budget_nano_usd, budget_period = excluded.budget_period,
    period_start = excluded.period_start, spent_nano_usd = excluded.spent_nano_usd,
    held_nano_usd = excluded.held_nano_usd, in_progress = excluded.in_progress,
    requests_per_minute = excluded.requests_per_minute,
    tokens_per_minute = excluded.tokens_per_minute, parallel = excluded.parallel
    WHERE l.account_id = excluded.account_id;
END $$;
