-- Adds requests and tokens, or subtracts those that were not used, to the second of `at` in the
-- minute of an owner. Adding begins a second that is now. A second that has left the minute, or that
-- was never begun, stays as it is.
-- Locks: the caller has locked the wallet.
CREATE OR REPLACE FUNCTION count_use(
  owner text, account text, at timestamptz, more_requests bigint, more_tokens bigint
)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  -- Of a second in the arrays.
  n integer := 1 + floor(extract(epoch FROM at))::bigint % 61;
  -- No more than this is counted, so that sums fit.
  most constant bigint := 1e15;
BEGIN
  UPDATE usage_limit SET
    requests[n] = greatest(0, requests[n] + more_requests),
    tokens[n] = least(most, greatest(0, tokens[n] + least(most, more_tokens))),
    counted_at[n] = greatest(counted_at[n], at)
  WHERE owner_id = owner AND account_id = account
    AND date_trunc('second', counted_at[n]) = date_trunc('second', at);
  IF NOT FOUND AND at = now() THEN
    UPDATE usage_limit SET
      requests[n] = greatest(0, more_requests),
      tokens[n] = least(most, greatest(0, more_tokens)),
      counted_at[n] = at
    WHERE owner_id = owner AND account_id = account;
  END IF;
END $$;
