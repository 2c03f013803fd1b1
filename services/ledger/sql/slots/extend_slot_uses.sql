-- Extends the calls of slots that are in progress. One that has expired is not created again.
CREATE OR REPLACE FUNCTION extend_slot_uses(ids text[], lease_ms integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE slot_use u SET expires_at = clock_timestamp() + lease_ms * interval '1 millisecond'
    FROM (SELECT id FROM slot_use WHERE id = ANY (ids) ORDER BY id FOR UPDATE SKIP LOCKED) locked
    WHERE u.id = locked.id;
END $$;
