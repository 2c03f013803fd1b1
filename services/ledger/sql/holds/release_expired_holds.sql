-- Deletes the holds that have expired, of up to 1,000 wallets: the service that took them died, or
-- failed to extend them. The time is the database's, which also set when they expire. Every replica
-- may call it at the same time.
-- Returns how many holds it deleted.
-- Locks: the wallets first, in order of account id. A wallet that is locked is left to a later call.
CREATE OR REPLACE FUNCTION release_expired_holds() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  owners text[];
  released integer;
BEGIN
  owners := ARRAY(SELECT DISTINCT account_id FROM hold WHERE expires_at < now() LIMIT 1000);
  IF owners = '{}' THEN
    RETURN 0;
  END IF;
  owners := ARRAY(SELECT account_id FROM wallet WHERE account_id = ANY (owners)
    ORDER BY account_id FOR UPDATE SKIP LOCKED);
  DELETE FROM hold WHERE account_id = ANY (owners) AND expires_at < now();
  GET DIAGNOSTICS released = ROW_COUNT;
  RETURN released;
END $$;
