-- Returns what is left of the limits of those owners that have any, in order of their ids.
-- In plpgsql, which keeps the plan: a function in SQL would be planned for each call.
CREATE OR REPLACE FUNCTION read_limits_left(owners text[]) RETURNS limits_left[]
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN ARRAY(
    SELECT ROW(owner_id, account_id, budget_left, parallel_left,
      requests_per_minute, requests_left, requests_reset_ms,
      tokens_per_minute, tokens_left, tokens_reset_ms, held, 0,
      num_nonnulls(user_budget, user_requests_per_minute) > 0)::limits_left
    FROM read_limits(owners) ORDER BY owner_id);
END $$;
