-- Credits the wallet of `owner` with the amount that a reversal debited, and cancels the debt of
-- the reversal: the refund failed, or the dispute was won. A reference is undone once, and is never
-- applied afterwards. It may be undone before it is applied, because messages overtake each other.
--
-- Returns one row: the outcome, and the wallet after it.
--   undone        the debited amount was credited
--   unchanged     the reference was undone before
--   conflict      the reference was applied with another amount; nothing was credited
--   above_maximum the balance would exceed `max_balance`; nothing was credited
-- Locks: the wallet first.
CREATE OR REPLACE FUNCTION undo_reversal(
  owner text, amount bigint, own_reference text, why text, undone_at timestamptz, max_balance bigint
)
RETURNS TABLE (outcome text, balance bigint, held bigint) LANGUAGE plpgsql AS $$
DECLARE
  earlier record;
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true);
  INSERT INTO wallet (account_id, balance_nano_usd, held_nano_usd) VALUES (owner, 0, 0)
    ON CONFLICT DO NOTHING;
  SELECT w.balance_nano_usd INTO balance FROM wallet w WHERE w.account_id = owner FOR UPDATE;
  SELECT r.amount_nano_usd, r.taken_nano_usd, r.is_undone INTO earlier
    FROM reversal r WHERE r.account_id = owner AND r.reference = own_reference;
  outcome := CASE
    WHEN earlier.amount_nano_usd IS NULL THEN 'undone'
    WHEN earlier.amount_nano_usd <> amount THEN 'conflict'
    WHEN earlier.is_undone THEN 'unchanged'
    WHEN balance + earlier.taken_nano_usd > max_balance THEN 'above_maximum'
    ELSE 'undone'
  END;
  IF outcome = 'undone' THEN
    INSERT INTO reversal (account_id, reference, reason, amount_nano_usd, taken_nano_usd, is_undone)
      VALUES (owner, own_reference, why, amount, 0, true)
      ON CONFLICT (account_id, reference) DO UPDATE SET is_undone = true;
    IF earlier.taken_nano_usd > 0 THEN
      PERFORM add_reversal_entry(owner, earlier.taken_nano_usd, own_reference || ':undone', why,
        undone_at);
      -- Another reversal may have a debt.
      PERFORM collect_debt(owner, undone_at);
    END IF;
  END IF;
  SELECT w.balance_nano_usd, w.held_nano_usd INTO balance, held
    FROM wallet w WHERE w.account_id = owner;
  RETURN NEXT;
END $$;
