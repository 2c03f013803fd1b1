-- Deletes the holds that have expired, of up to 1,000 wallets: the service that took them died, or
-- failed to extend them. The time is the database's, which also set when they expire. Every replica
-- may call it at the same time. A request whose usage event is not recorded is lost, unless that
-- arrives within `late_ms` milliseconds (record_lost_requests).
-- Returns how many holds it deleted.
-- Locks: the wallets first, in order of account id. A wallet that is locked is left to a later
-- call.
CREATE OR REPLACE FUNCTION release_expired_holds(late_ms bigint) RETURNS integer
LANGUAGE plpgsql AS $$
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
  WITH expired AS (
    DELETE FROM hold WHERE account_id = ANY (owners) AND expires_at < now() RETURNING *
  ), lost AS (
    INSERT INTO lost_request (id, account_id, key_id, end_user, route_type, alias, unit_type,
      begun_at, due_at)
    SELECT id, account_id, key_id, end_user, route_type, alias, unit_type, created_at,
      now() + late_ms * interval '1 millisecond'
    FROM expired
    WHERE route_type <> '' AND job_id = ''
      AND NOT EXISTS (SELECT FROM recorded_event r WHERE r.event_id = expired.id)
    ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at
  )
  SELECT count(*) INTO released FROM expired;
  RETURN released;
END $$;
