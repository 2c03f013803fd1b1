-- Returns what is left of the limits of those owners that have any, in order of their ids.
CREATE OR REPLACE FUNCTION read_limits_left(owners text[]) RETURNS limits_left[]
LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(ROW(
    owner_id, account_id, budget_left, parallel_left,
    requests_per_minute, requests_left, requests_reset_ms,
    tokens_per_minute, tokens_left, tokens_reset_ms, 0, 0, 0)::limits_left ORDER BY owner_id), '{}')
  FROM read_limits(owners)
$$;
