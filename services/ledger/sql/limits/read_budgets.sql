-- Returns in one row those of the accounts and of the events' keys and end users that have limits,
-- and what their budgets have left, nano-USD. NULL: no budget. If the period has ended since the
-- last charge, nothing is spent in the new one. `limits_users`: one of the keys has limits for each
-- of its end users.
--
-- A query that becomes a part of the caller's: see capture_usage.
CREATE OR REPLACE FUNCTION read_budgets(account_ids text[], events usage_event[])
RETURNS TABLE (owners text[], budgets bigint[], limits_users boolean) LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(owner_id), '{}'), coalesce(array_agg(
      budget_nano_usd - held_nano_usd - CASE
        WHEN now() >= period_end THEN 0 ELSE spent_nano_usd END
    ), '{}'),
    bool_or(num_nonnulls(user_budget_nano_usd, user_requests_per_minute) > 0)
  FROM usage_limit WHERE owner_id = ANY (
    account_ids || ARRAY(
      SELECT DISTINCT of.owner_id FROM unnest(events) AS event,
        LATERAL (VALUES (event.key_id), (end_user_owner_id(event.key_id, event.end_user)))
          AS of (owner_id)))
$$;
