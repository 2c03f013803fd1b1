-- Sets the limits of an owner, a key of `account` or the account itself, in place of those that it
-- has, and those of each end user of a key, who get them at once (update_end_users). Without any
-- limit its row is deleted. Opens the wallet if there is none. What was spent in the current
-- period, and what open holds hold and have in progress, counts at once; what the last minute used
-- counts if the owner had limits before.
-- Locks: the wallet first.
CREATE OR REPLACE FUNCTION set_limits(
  owner text, account text, budget bigint, period text, requests bigint, tokens bigint,
  max_in_progress bigint, user_budget bigint, user_period text, user_requests bigint
)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  zone text;
  period_from timestamptz;
  period_to timestamptz;
  spent bigint;
  held bigint;
  open_requests bigint;
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true);
  INSERT INTO wallet (account_id, balance_nano_usd, held_nano_usd) VALUES (account, 0, 0)
    ON CONFLICT DO NOTHING;
  SELECT time_zone INTO zone FROM wallet WHERE account_id = account FOR UPDATE;
  IF num_nonnulls(budget, requests, tokens, max_in_progress, user_budget, user_requests) = 0 THEN
    DELETE FROM usage_limit WHERE owner_id = owner AND account_id = account;
    PERFORM update_end_users(owner);
    RETURN;
  END IF;
  IF budget IS NOT NULL THEN
    -- A period that has not ended goes on, also where it is of an earlier time zone, or was begun
    -- by a transaction that began later.
    SELECT l.period_start, l.period_end INTO period_from, period_to FROM usage_limit l
      WHERE l.owner_id = owner AND l.budget_period = period AND now() < l.period_end;
    IF NOT FOUND THEN
      period_from := find_period_start(period, now(), zone);
      period_to := find_period_end(period, now(), zone);
    END IF;
    SELECT coalesce(sum(charged), 0) INTO spent FROM sum_charges_since(account, period_from)
      WHERE owner = account OR key_id = owner;
  END IF;
  SELECT coalesce(sum(h.amount_nano_usd), 0), coalesce(sum(h.in_progress), 0)
    INTO held, open_requests
    FROM hold h WHERE h.account_id = account AND (owner = account OR h.key_id = owner);
  INSERT INTO usage_limit AS l (owner_id, account_id, budget_nano_usd, budget_period, period_start,
    period_end, time_zone, spent_nano_usd, held_nano_usd, in_progress, requests_per_minute,
    tokens_per_minute, parallel, user_budget_nano_usd, user_budget_period, user_requests_per_minute)
  VALUES (owner, account, budget, CASE WHEN budget IS NOT NULL THEN period END,
    period_from, period_to, zone, coalesce(spent, 0), held, open_requests, requests, tokens,
    max_in_progress, user_budget, CASE WHEN user_budget IS NOT NULL THEN user_period END,
    user_requests)
  ON CONFLICT (owner_id) DO UPDATE SET
    budget_nano_usd = excluded.budget_nano_usd, budget_period = excluded.budget_period,
    period_start = excluded.period_start, period_end = excluded.period_end,
    spent_nano_usd = excluded.spent_nano_usd,
    held_nano_usd = excluded.held_nano_usd, in_progress = excluded.in_progress,
    requests_per_minute = excluded.requests_per_minute,
    tokens_per_minute = excluded.tokens_per_minute, parallel = excluded.parallel,
    user_budget_nano_usd = excluded.user_budget_nano_usd,
    user_budget_period = excluded.user_budget_period,
    user_requests_per_minute = excluded.user_requests_per_minute
    WHERE l.account_id = excluded.account_id;
  PERFORM update_end_users(owner);
END $$;
