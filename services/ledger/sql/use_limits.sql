-- Returns what is left after a hold is taken.
CREATE OR REPLACE FUNCTION use_limits(
  state limit_state, amount bigint, requests bigint, tokens bigint, slots bigint
)
RETURNS limit_state LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  state.budget_left := state.budget_left - amount;
  state.parallel_left := state.parallel_left - slots;
  state.requests_left := state.requests_left - requests;
  state.tokens_left := state.tokens_left - tokens;
  -- What is used now leaves the minute last.
  state.requests_reset_ms := CASE requests WHEN 0 THEN state.requests_reset_ms ELSE 60000 END;
  state.tokens_reset_ms := CASE tokens WHEN 0 THEN state.tokens_reset_ms ELSE 60000 END;
  state.added_nano_usd := state.added_nano_usd + amount;
  state.added_requests := state.added_requests + requests;
  state.added_tokens := state.added_tokens + tokens;
  RETURN state;
END $$;
