-- Returns the refusal of a request (refuse_limit) for which too little is left of the limits of its
-- end user, key or account: of requests in progress, of requests or of tokens, in this order. NULL:
-- it is within them. A request with more tokens than the limit needs an empty minute. Of two
-- refusals of one kind, returns that with the longer wait. decide_limited_hold calls it for a
-- request that takes a hold of its own, with the wallet locked, so that what is left cannot change
-- before the hold is stored. A request that takes a part of a shared hold is not checked:
-- take_shared_hold has taken its part of the limits in advance.
CREATE OR REPLACE FUNCTION check_limits(
  end_user limits_left, key limits_left, account limits_left, tokens bigint
)
RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  kind text;
  limits limits_left;
  excess bigint;
  found jsonb;
  refusal jsonb;
BEGIN
  -- Nearly all requests are within their limits. A comparison with NULL is not true.
  IF (least(key.parallel_left, key.requests_left, account.parallel_left, account.requests_left,
      end_user.requests_left) < 1
    OR least(tokens, key.tokens_per_minute) > key.tokens_left
    OR least(tokens, account.tokens_per_minute) > account.tokens_left) IS NOT TRUE
  THEN
    RETURN NULL;
  END IF;
  FOREACH kind IN ARRAY ARRAY['parallel', 'requests', 'tokens'] LOOP
    FOREACH limits IN ARRAY ARRAY[end_user, key, account] LOOP
      excess := CASE kind
        WHEN 'parallel' THEN 1 - limits.parallel_left
        WHEN 'requests' THEN 1 - limits.requests_left
        ELSE least(tokens, limits.tokens_per_minute) - limits.tokens_left
      END;
      CONTINUE WHEN excess IS NULL OR excess <= 0;
      found := refuse_limit(kind, limits.owner_id, limits.added_nano_usd, excess);
      IF refusal IS NULL
        OR (found ->> 'retryAfterMs')::bigint > (refusal ->> 'retryAfterMs')::bigint
      THEN
        refusal := found;
      END IF;
    END LOOP;
    EXIT WHEN refusal IS NOT NULL;
  END LOOP;
  RETURN refusal;
END $$;
