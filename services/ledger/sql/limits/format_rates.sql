-- Returns the rates of an end user, a key and its account as the JSON of a tollgate.v1.RateLimits,
-- each that of which least is left. NULL where none is limited. An end user has no limit of tokens.
CREATE OR REPLACE FUNCTION format_rates(
  end_user limits_left, key limits_left, account limits_left
)
RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  lower limits_left := CASE
    WHEN end_user.requests_left IS NULL OR key.requests_left < end_user.requests_left THEN key
    ELSE end_user
  END;
BEGIN
  IF num_nonnulls(lower.requests_per_minute, account.requests_per_minute,
    key.tokens_per_minute, account.tokens_per_minute) = 0
  THEN
    RETURN NULL;
  END IF;
  RETURN jsonb_build_object(
    'requests', format_rate(
      lower.requests_per_minute, lower.requests_left, lower.requests_reset_ms,
      account.requests_per_minute, account.requests_left, account.requests_reset_ms),
    'tokens', format_rate(
      key.tokens_per_minute, key.tokens_left, key.tokens_reset_ms,
      account.tokens_per_minute, account.tokens_left, account.tokens_reset_ms));
END $$;
