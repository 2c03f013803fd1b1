-- Inserts the limits of those end users of keys that have none yet, if their keys have limits for
-- each user. What a user was charged in the current period counts at once, and so do the user's
-- open holds.
-- Returns the owner ids of the new rows.
-- Locks: the caller has locked the wallets.
CREATE OR REPLACE FUNCTION open_end_users(key_ids text[], end_users text[]) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
  opened text[];
BEGIN
  WITH inserted AS (
    INSERT INTO usage_limit (owner_id, account_id, key_id, end_user, budget_nano_usd, budget_period,
      period_start, period_end, time_zone, spent_nano_usd, held_nano_usd, in_progress,
      requests_per_minute)
    SELECT new.owner, k.account_id, k.owner_id, new.end_user, k.user_budget_nano_usd,
      k.user_budget_period, period.start, find_period_end(k.user_budget_period, now(), k.time_zone),
      k.time_zone,
      CASE WHEN period.start IS NULL THEN 0 ELSE
        sum_end_user_charges(k.account_id, k.owner_id, new.end_user, period.start) END,
      open.held, open.in_progress, k.user_requests_per_minute
    FROM (
        SELECT DISTINCT key_id, end_user, end_user_owner_id(key_id, end_user) AS owner
        FROM unnest(key_ids, end_users) AS of (key_id, end_user)
      ) new
      JOIN usage_limit k ON k.owner_id = new.key_id
        AND num_nonnulls(k.user_budget_nano_usd, k.user_requests_per_minute) > 0,
      LATERAL (
        SELECT find_period_start(k.user_budget_period, now(), k.time_zone) AS start) period,
      LATERAL (
        SELECT coalesce(sum(h.amount_nano_usd), 0) AS held,
          coalesce(sum(h.in_progress), 0) AS in_progress
        FROM hold h WHERE h.account_id = k.account_id AND h.key_id = k.owner_id
          AND h.end_user = new.end_user
      ) open
    WHERE NOT EXISTS (SELECT FROM usage_limit u WHERE u.owner_id = new.owner)
    RETURNING owner_id
  )
  SELECT coalesce(array_agg(owner_id), '{}') INTO opened FROM inserted;
  RETURN opened;
END $$;
