-- Returns the refusal of a request (limit_refusal) for which too little is left of the limits of its
-- key or account: of requests in progress, of requests or of tokens, in this order. NULL: it is within
-- them. A request with more tokens than the limit needs an empty minute. Of two refusals of one kind,
-- returns that with the longer wait.
CREATE OR REPLACE FUNCTION refuse_rates(key limit_state, account limit_state, tokens bigint)
RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  kind text;
  state limit_state;
  excess bigint;
  found jsonb;
  refusal jsonb;
BEGIN
  -- Nearly all requests are within their limits. A comparison with NULL is not true.
  IF (least(key.parallel_left, key.requests_left, account.parallel_left, account.requests_left) < 1
    OR least(tokens, key.tokens_per_minute) > key.tokens_left
    OR least(tokens, account.tokens_per_minute) > account.tokens_left) IS NOT TRUE
  THEN
    RETURN NULL;
  END IF;
  FOREACH kind IN ARRAY ARRAY['parallel', 'requests', 'tokens'] LOOP
    FOREACH state IN ARRAY ARRAY[key, account] LOOP
      excess := CASE kind
        WHEN 'parallel' THEN 1 - state.parallel_left
        WHEN 'requests' THEN 1 - state.requests_left
        ELSE least(tokens, state.tokens_per_minute) - state.tokens_left
      END;
      CONTINUE WHEN excess IS NULL OR excess <= 0;
      found := limit_refusal(kind, state.owner_id, state.added_nano_usd, excess);
      IF refusal IS NULL OR (found ->> 'retryAfterMs')::bigint > (refusal ->> 'retryAfterMs')::bigint
      THEN
        refusal := found;
      END IF;
    END LOOP;
    EXIT WHEN refusal IS NOT NULL;
  END LOOP;
  RETURN refusal;
END $$;
