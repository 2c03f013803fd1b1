-- Pays the debts of the account `owner` from the available balance of its wallet: the oldest
-- reversal first, with an adjustment for each. Returns the amount that it collected, nano-USD.
-- Locks: the caller has locked the wallet.
CREATE OR REPLACE FUNCTION collect_debt(owner text, collected_at timestamptz)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  available bigint;
  collected bigint := 0;
  owed record;
  taken bigint;
BEGIN
  SELECT balance_nano_usd - held_nano_usd INTO available FROM wallet WHERE account_id = owner;
  FOR owed IN
    SELECT r.reference, r.reason, r.steps, r.amount_nano_usd - r.taken_nano_usd AS amount
    FROM reversal r
    WHERE r.account_id = owner AND r.taken_nano_usd < r.amount_nano_usd AND NOT r.is_undone
    ORDER BY r.created_at, r.reference
  LOOP
    taken := least(owed.amount, available - collected);
    EXIT WHEN taken <= 0;
    UPDATE reversal r SET taken_nano_usd = r.taken_nano_usd + taken, steps = r.steps + 1
      WHERE r.account_id = owner AND r.reference = owed.reference;
    PERFORM add_reversal_entry(owner, -taken, owed.reference || ':' || (owed.steps + 1)::text,
      owed.reason, collected_at);
    collected := collected + taken;
  END LOOP;
  RETURN collected;
END $$;
