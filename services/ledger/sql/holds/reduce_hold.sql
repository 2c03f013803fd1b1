-- Subtracts from a shared hold what requests have used of it, or what none uses. A hold with
-- nothing left is deleted, unless requests may still take a part of it.
-- Locks: the caller has locked the wallet.
CREATE OR REPLACE FUNCTION reduce_hold(
  hold_id text, amount bigint, less_requests bigint, less_tokens bigint, less_in_progress bigint
)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE hold SET
    amount_nano_usd = greatest(0, amount_nano_usd - amount),
    requests = greatest(0, requests - less_requests),
    tokens = greatest(0, tokens - less_tokens),
    in_progress = greatest(0, in_progress - less_in_progress)
  WHERE id = hold_id
    AND (is_shared OR amount_nano_usd > amount OR tokens > less_tokens
      OR in_progress > less_in_progress);
  IF NOT FOUND THEN
    DELETE FROM hold WHERE id = hold_id;
  END IF;
END $$;
