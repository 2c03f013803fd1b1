-- Returns the rates of a key and its account as the JSON of a tollgate.v1.RateLimits, each that of
-- which less is left. NULL where none is limited.
CREATE OR REPLACE FUNCTION format_rates(key limits_left, account limits_left)
RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF num_nonnulls(key.requests_per_minute, account.requests_per_minute,
    key.tokens_per_minute, account.tokens_per_minute) = 0
  THEN
    RETURN NULL;
  END IF;
  RETURN jsonb_build_object(
    'requests', format_rate(
      key.requests_per_minute, key.requests_left, key.requests_reset_ms,
      account.requests_per_minute, account.requests_left, account.requests_reset_ms),
    'tokens', format_rate(
      key.tokens_per_minute, key.tokens_left, key.tokens_reset_ms,
      account.tokens_per_minute, account.tokens_left, account.tokens_reset_ms));
END $$;
