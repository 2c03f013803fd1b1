-- Takes a hold of `amount` nano-USD that many requests of one service share, in full or
-- not at all. It expires after `hold_ms` milliseconds.
--
-- It is refused when the wallet's shared holds, of all services, would exceed one part in `parts`
-- of the money that nothing else holds: what is unused in them must refuse hardly any request.
--
-- Returns whether it was taken.
-- Locks: the wallet first. Commits asynchronously; see take_holds.
CREATE OR REPLACE FUNCTION take_shared_hold(
  hold_id text, owner text, amount bigint, parts bigint, hold_ms bigint
)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  available bigint;
  shared bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '100ms', true);
  SELECT balance_nano_usd - held_nano_usd INTO available
    FROM wallet WHERE account_id = owner FOR UPDATE;
  SELECT coalesce(sum(amount_nano_usd), 0) INTO shared
    FROM hold WHERE account_id = owner AND is_shared;
  IF available IS NULL OR shared + amount > (shared + available) / parts THEN
    RETURN false;
  END IF;
  INSERT INTO hold (id, account_id, amount_nano_usd, expires_at, is_shared)
  VALUES (hold_id, owner, amount, now() + hold_ms * interval '1 millisecond', true);
  RETURN true;
END $$;
