-- Deletes the limits of end users without holds, charges in the current period or requests in the
-- last minute, of up to 1,000 wallets. Every replica may call it at the same time.
-- Returns how many it deleted.
-- Locks: the wallets first, in order of account id. A wallet that is locked is left to a later
-- call.
CREATE OR REPLACE FUNCTION delete_ended_users() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  owners text[];
  deleted integer;
BEGIN
  owners := ARRAY(SELECT DISTINCT account_id FROM usage_limit u
    WHERE u.key_id IS NOT NULL AND is_ended_user(u) LIMIT 1000);
  IF owners = '{}' THEN
    RETURN 0;
  END IF;
  owners := ARRAY(SELECT account_id FROM wallet WHERE account_id = ANY (owners)
    ORDER BY account_id FOR UPDATE SKIP LOCKED);
  DELETE FROM usage_limit u
    WHERE u.key_id IS NOT NULL AND u.account_id = ANY (owners) AND is_ended_user(u);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END $$;
