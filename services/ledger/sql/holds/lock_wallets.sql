-- Locks the wallets of the accounts, in order of account id: functions that lock several do so in
-- the same order, and before anything else. What is read after the lock is what every other writer
-- of these wallets has committed, so that two replicas never grant the same money. The lock covers
-- the holds and the limits of the accounts.
-- Returns the accounts of these that have limits. NULL: none has.
-- A wallet that is locked for longer than 100 ms fails the call: see src/wallet-locks.ts.
CREATE OR REPLACE FUNCTION lock_wallets(account_ids text[]) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  -- Evaluated without a query, which PERFORM would run.
  lock_timeout constant text := set_config('lock_timeout', '100ms', true);
BEGIN
  -- FILTER, since a WHERE of has_limits would lock only those wallets.
  RETURN (
    SELECT array_agg(account_id) FILTER (WHERE has_limits) FROM (
      SELECT account_id, has_limits FROM wallet
      WHERE account_id = ANY (account_ids) ORDER BY account_id FOR UPDATE
    ) locked);
END $$;
