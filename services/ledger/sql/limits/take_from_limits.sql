-- Returns what is left of an owner's limits after a hold takes its part of them.
CREATE OR REPLACE FUNCTION take_from_limits(
  limits limits_left, amount bigint, requests bigint, tokens bigint, in_progress bigint
)
RETURNS limits_left LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  limits.budget_left := limits.budget_left - amount;
  limits.parallel_left := limits.parallel_left - in_progress;
  limits.requests_left := limits.requests_left - requests;
  limits.tokens_left := limits.tokens_left - tokens;
  -- What is used now leaves the minute last.
  limits.requests_reset_ms := CASE requests WHEN 0 THEN limits.requests_reset_ms ELSE 60000 END;
  limits.tokens_reset_ms := CASE tokens WHEN 0 THEN limits.tokens_reset_ms ELSE 60000 END;
  limits.added_nano_usd := limits.added_nano_usd + amount;
  RETURN limits;
END $$;
