-- Returns the limits of those owners that have any, and how much of them is used now, each as the
-- JSON of a tollgate.v1.LimitUse.
CREATE OR REPLACE FUNCTION list_limits(owners text[])
RETURNS SETOF jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT jsonb_strip_nulls(jsonb_build_object(
    'ownerId', owner_id,
    'endUser', end_user,
    'limits', format_limits(budget, period, requests_per_minute, tokens_per_minute, parallel)
      || format_user_limits(user_budget, user_period, user_requests_per_minute),
    'spentNanoUsd', spent::text,
    'heldNanoUsd', held::text,
    'resetsAt', format_timestamp(period_end),
    'requests', requests,
    'tokens', tokens::text,
    'inProgress', in_progress))
  FROM read_limits(owners);
END $$;
