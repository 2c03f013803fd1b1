-- Adds requests and tokens, or subtracts those that were not used, to the second of `at` in the
-- minutes of a slot and of the account that calls it, as count_in_minute does for keys.
-- Locks: the caller has locked the slot's slot_load.
CREATE OR REPLACE FUNCTION count_in_slot_minute(
  slot text, account text, at timestamptz, more_requests bigint, more_tokens bigint
)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  second constant timestamptz := date_trunc('second', at);
  n constant integer := 1 + floor(extract(epoch FROM at))::bigint % 61;
  is_past constant boolean := more_requests = 0 AND more_tokens < 0;
BEGIN
  UPDATE slot_load SET
    requests[n] = more_requests
      + CASE date_trunc('second', counted_at[n]) WHEN second THEN requests[n] ELSE 0 END,
    tokens[n] = greatest(0, more_tokens
      + CASE date_trunc('second', counted_at[n]) WHEN second THEN tokens[n] ELSE 0 END),
    counted_at[n] = CASE date_trunc('second', counted_at[n])
      WHEN second THEN greatest(counted_at[n], at) ELSE at END
  WHERE slot_id = slot AND account_id IN ('', account)
    AND (date_trunc('second', counted_at[n]) = second OR NOT is_past);
END $$;
