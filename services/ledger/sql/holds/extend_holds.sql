-- Sets the holds to expire `hold_ms` milliseconds from now. A hold that no longer exists stays
-- deleted.
-- Locks: the wallets first, in order of account id. A shared hold changes often, so this waits for
-- its turn as every other change of a hold does.
CREATE OR REPLACE FUNCTION extend_holds(hold_ids text[], hold_ms bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true);
  PERFORM FROM wallet
    WHERE account_id = ANY (ARRAY(SELECT account_id FROM hold WHERE id = ANY (hold_ids)))
    ORDER BY account_id FOR UPDATE;
  UPDATE hold SET expires_at = now() + hold_ms * interval '1 millisecond'
    WHERE id = ANY (hold_ids);
END $$;
