-- Subtracts requests and tokens that a hold has counted, and that are not used, from the minutes of its
-- key and its account.
-- Locks: the caller has locked the wallet.
CREATE OR REPLACE FUNCTION remove_from_minute(counted hold, less_requests bigint, less_tokens bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM wallet w WHERE w.account_id = counted.account_id AND w.has_limits) THEN
    PERFORM count_in_minute(ARRAY[counted.key_id, counted.account_id], counted.account_id,
      counted.created_at, ARRAY[-less_requests, -less_requests], ARRAY[-less_tokens, -less_tokens]);
  END IF;
END $$;
