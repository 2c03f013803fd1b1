-- Ends calls that take_slot_uses has counted, and replaces their tokens by those that they used:
-- NULL leaves them. A call that has ended, or was never counted, changes nothing.
-- Locks: as take_slot_uses.
CREATE OR REPLACE FUNCTION end_slot_uses(ids text[], used_tokens bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  ended record;
BEGIN
  PERFORM FROM slot_load WHERE account_id = ''
    AND slot_id IN (SELECT slot_id FROM slot_use WHERE id = ANY (ids)) ORDER BY slot_id FOR UPDATE;
  FOR ended IN
    DELETE FROM slot_use u USING unnest(ids, used_tokens) AS end_of (id, used)
    WHERE u.id = end_of.id
      RETURNING u.slot_id, u.account_id, u.begun_at, end_of.used - u.tokens AS more
  LOOP
    CONTINUE WHEN coalesce(ended.more, 0) = 0;
    PERFORM count_in_slot_minute(ended.slot_id, ended.account_id,
      CASE WHEN ended.more < 0 THEN ended.begun_at ELSE clock_timestamp() END, 0, ended.more);
  END LOOP;
END $$;
