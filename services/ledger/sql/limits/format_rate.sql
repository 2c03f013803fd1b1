-- Returns a rate as the JSON of a tollgate.v1.RateLimit: that of the key or of its account, of
-- which less is left. NULL where neither is limited.
CREATE OR REPLACE FUNCTION format_rate(
  key_limit bigint, key_left bigint, key_reset_ms bigint,
  account_limit bigint, account_left bigint, account_reset_ms bigint
)
RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN account_limit IS NULL AND key_limit IS NULL THEN NULL
    WHEN account_limit IS NULL OR key_left <= account_left THEN jsonb_build_object(
      'limit', key_limit::text, 'remaining', greatest(0, key_left)::text, 'resetMs', key_reset_ms)
    ELSE jsonb_build_object('limit', account_limit::text,
      'remaining', greatest(0, account_left)::text, 'resetMs', account_reset_ms)
  END
$$;
