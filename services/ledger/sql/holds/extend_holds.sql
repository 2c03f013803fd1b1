-- Sets the holds to expire `hold_ms` milliseconds from now at the earliest. A hold that no longer
-- exists stays deleted, but its request is not lost: its process lives.
-- Locks: the wallets first (lock_wallets). A shared hold changes often, so this waits for its turn
-- as every other change of a hold does.
CREATE OR REPLACE FUNCTION extend_holds(hold_ids text[], hold_ms bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_wallets(ARRAY(SELECT account_id FROM hold WHERE id = ANY (hold_ids)));
  UPDATE hold SET expires_at = greatest(expires_at, now() + hold_ms * interval '1 millisecond')
    WHERE id = ANY (hold_ids);
  UPDATE lost_request SET due_at = greatest(due_at, now() + hold_ms * interval '1 millisecond')
    WHERE id = ANY (hold_ids);
END $$;
