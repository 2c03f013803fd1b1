-- Adds min(estimate, available) nano-USD to a hold of `owner`, and sets it to expire `hold_ms`
-- milliseconds from now. A hold that has expired is created again with that amount.
-- Returns one row: `added`, and `wallet_held`, what all holds of the wallet reserve.
-- Locks: the wallet first.
CREATE OR REPLACE FUNCTION grow_hold(hold_id text, owner text, estimate bigint, hold_ms bigint)
RETURNS TABLE (added bigint, wallet_held bigint) LANGUAGE plpgsql AS $$
DECLARE
  w wallet;
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true);
  SELECT * INTO w FROM wallet WHERE account_id = owner FOR UPDATE;
  added := coalesce(least(estimate, w.balance_nano_usd - w.held_nano_usd), 0);
  wallet_held := coalesce(w.held_nano_usd, 0) + added;
  IF added > 0 THEN
    INSERT INTO hold (id, account_id, amount_nano_usd, expires_at)
    VALUES (hold_id, owner, added, now() + hold_ms * interval '1 millisecond')
    ON CONFLICT (id) DO UPDATE SET
      amount_nano_usd = hold.amount_nano_usd + excluded.amount_nano_usd,
      expires_at = excluded.expires_at;
  END IF;
  RETURN NEXT;
END $$;
