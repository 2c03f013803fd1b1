-- Adds a charge to what an owner of limits has spent in the period of its budget. A charge of a later
-- period begins that period, and one of an earlier period changes nothing.
-- Locks: the caller has locked the wallet.
CREATE OR REPLACE FUNCTION add_spent(owner text, account text, charged bigint, at timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE usage_limit SET
    spent_nano_usd = charged + CASE
      WHEN budget_period_start(budget_period, at) = period_start THEN spent_nano_usd ELSE 0 END,
    period_start = budget_period_start(budget_period, at)
  WHERE owner_id = owner AND account_id = account
    AND budget_period_start(budget_period, at) >= period_start;
END $$;
