-- Returns the limits of those owners that have any, and how much of them is used now. A budget
-- whose period has ended has nothing spent; nothing is written for that. A limit of NULL is
-- unlimited, and so is what is left of it; what is left is less than zero where a limit was
-- lowered.
--
-- A minute is the 60 seconds before now. What was used in the same second as `counted_at` leaves
-- the minute 60 seconds after it, so in no 60 seconds more than a limit is used.
-- `requests_reset_ms` and `tokens_reset_ms` are when nothing of the minute is used any more.
CREATE OR REPLACE FUNCTION read_limits(owners text[])
RETURNS TABLE (
  owner_id text, account_id text, end_user text,
  budget bigint, period text, period_end timestamptz, spent bigint, held bigint, budget_left bigint,
  parallel bigint, in_progress bigint, parallel_left bigint,
  requests_per_minute bigint, requests bigint, requests_left bigint, requests_reset_ms bigint,
  tokens_per_minute bigint, tokens bigint, tokens_left bigint, tokens_reset_ms bigint,
  user_budget bigint, user_period text, user_requests_per_minute bigint
) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT l.owner_id, l.account_id, l.end_user,
    l.budget_nano_usd, l.budget_period, nullif(current.period_end, 'infinity'),
    current.spent, l.held_nano_usd, l.budget_nano_usd - current.spent - l.held_nano_usd,
    l.parallel, l.in_progress, l.parallel - l.in_progress,
    l.requests_per_minute, used.requests, l.requests_per_minute - used.requests,
    used.requests_reset_ms,
    l.tokens_per_minute, used.tokens, l.tokens_per_minute - used.tokens, used.tokens_reset_ms,
    l.user_budget_nano_usd, l.user_budget_period, l.user_requests_per_minute
  FROM usage_limit l,
    LATERAL (
      SELECT CASE WHEN now() >= l.period_end THEN 0 ELSE l.spent_nano_usd END AS spent,
        CASE WHEN now() >= l.period_end
          THEN find_period_end(l.budget_period, now(), l.time_zone)
          ELSE l.period_end END AS period_end
    ) current,
    LATERAL (
      SELECT coalesce(sum(s.requests), 0)::bigint AS requests,
        coalesce(sum(s.tokens), 0)::bigint AS tokens,
        coalesce(max(s.left_ms) FILTER (WHERE s.requests > 0), 0) AS requests_reset_ms,
        coalesce(max(s.left_ms) FILTER (WHERE s.tokens > 0), 0) AS tokens_reset_ms
      FROM read_minute(l.requests, l.tokens, l.counted_at) s
    ) used
  WHERE l.owner_id = ANY (owners);
END $$;
