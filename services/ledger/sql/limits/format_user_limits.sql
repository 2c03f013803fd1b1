-- Returns the limits that a key has for each of its end users, as members of the JSON of a
-- tollgate.v1.Limits.
CREATE OR REPLACE FUNCTION format_user_limits(
  budget bigint, period text, requests_per_minute bigint
)
RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_strip_nulls(jsonb_build_object(
    'budgetPerUser', format_budget(budget, period),
    'requestsPerMinutePerUser', requests_per_minute))
$$;
