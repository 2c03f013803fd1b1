-- Debits the wallet of `owner` by `amount` nano-USD for a payment that was refunded or disputed:
-- the available balance at once, and the rest, which is a debt, as soon as the wallet has it. A
-- reference is applied once.
--
-- Returns one row: the outcome, the wallet after it, and the debt of this reversal.
--   reversed  the amount was debited, or is owed
--   unchanged the reference was applied before with the same amount
--   undone    the reference was undone (undo_reversal); nothing was debited
--   conflict  the reference was applied before with another amount; nothing was debited
-- Locks: the wallet first.
CREATE OR REPLACE FUNCTION reverse_top_up(
  owner text, amount bigint, own_reference text, why text, reversed_at timestamptz
)
RETURNS TABLE (outcome text, balance bigint, held bigint, owed bigint) LANGUAGE plpgsql AS $$
DECLARE
  earlier record;
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true);
  INSERT INTO wallet (account_id, balance_nano_usd, held_nano_usd) VALUES (owner, 0, 0)
    ON CONFLICT DO NOTHING;
  PERFORM 1 FROM wallet WHERE account_id = owner FOR UPDATE;
  SELECT r.amount_nano_usd, r.is_undone INTO earlier
    FROM reversal r WHERE r.account_id = owner AND r.reference = own_reference;
  outcome := CASE
    WHEN earlier.amount_nano_usd IS NULL THEN 'reversed'
    WHEN earlier.amount_nano_usd <> amount THEN 'conflict'
    WHEN earlier.is_undone THEN 'undone'
    ELSE 'unchanged'
  END;
  IF outcome = 'reversed' THEN
    INSERT INTO reversal (account_id, reference, reason, amount_nano_usd, taken_nano_usd)
      VALUES (owner, own_reference, why, amount, 0);
    PERFORM collect_debt(owner, reversed_at);
  END IF;
  SELECT w.balance_nano_usd, w.held_nano_usd INTO balance, held
    FROM wallet w WHERE w.account_id = owner;
  SELECT CASE WHEN r.is_undone THEN 0 ELSE r.amount_nano_usd - r.taken_nano_usd END INTO owed
    FROM reversal r WHERE r.account_id = owner AND r.reference = own_reference;
  RETURN NEXT;
END $$;
