-- Returns limits as the JSON of a tollgate.v1.Limits. What is NULL is left out.
CREATE OR REPLACE FUNCTION format_limits(
  budget bigint, period text, requests_per_minute bigint, tokens_per_minute bigint, parallel bigint
)
RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_strip_nulls(jsonb_build_object(
    'budget', format_budget(budget, period),
    'requestsPerMinute', requests_per_minute,
    'tokensPerMinute', tokens_per_minute::text,
    'parallel', parallel))
$$;
