-- Adds requests and tokens, or subtracts those that were not used, to the second of `at` in the
-- minutes of the owners, which are an account, its keys and their end users. The second of now()
-- starts from zero if it was not begun. Any other second that was never begun, or that has left the
-- minute, stays as it is. Owners without limits are skipped. IS TRUE keeps Postgres from using the
-- index on account_id, which would read the limits of all keys of the account.
-- Locks: the caller has locked the wallet.
CREATE OR REPLACE FUNCTION count_in_minute(
  owners text[], account text, at timestamptz, more_requests bigint[], more_tokens bigint[]
)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  second constant timestamptz := date_trunc('second', at);
  -- Of a second in the arrays.
  n constant integer := 1 + floor(extract(epoch FROM at))::bigint % 61;
  -- No more than this is counted, so that sums fit.
  most constant bigint := 1e15;
BEGIN
  UPDATE usage_limit SET
    requests[n] = greatest(0, more_requests[array_position(owners, owner_id)]
      + CASE date_trunc('second', counted_at[n]) WHEN second THEN requests[n] ELSE 0 END),
    tokens[n] = least(most, greatest(0, least(most, more_tokens[array_position(owners, owner_id)])
      + CASE date_trunc('second', counted_at[n]) WHEN second THEN tokens[n] ELSE 0 END)),
    counted_at[n] = CASE date_trunc('second', counted_at[n])
      WHEN second THEN greatest(counted_at[n], at) ELSE at END
  WHERE owner_id = ANY (owners) AND (account_id = account) IS TRUE
    AND (date_trunc('second', counted_at[n]) = second OR at = now());
END $$;
