-- Subtracts requests and tokens that a hold has counted, and that are not used, from the minutes of
-- its end user, its key and its account.
-- Locks: the caller has locked the wallet.
CREATE OR REPLACE FUNCTION remove_from_minute(
  counted hold, less_requests bigint, less_tokens bigint
)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM wallet w WHERE w.account_id = counted.account_id AND w.has_limits) THEN
    PERFORM count_in_minute(
      ARRAY[
        end_user_owner_id(counted.key_id, counted.end_user), counted.key_id, counted.account_id
      ],
      counted.account_id, counted.created_at,
      array_fill(-less_requests, ARRAY[3]), array_fill(-less_tokens, ARRAY[3]));
  END IF;
END $$;
