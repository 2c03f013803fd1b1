-- Returns in how many milliseconds the trailing minute of a slot has room for `more` requests or
-- tokens: 0 where it has. A call with more than the limit waits until none are counted. NULL is no
-- limit.
CREATE OR REPLACE FUNCTION find_slot_wait(slot text, kind text, more bigint, most bigint)
RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  room constant bigint := greatest(0, most - more);
BEGIN
  IF most IS NULL THEN
    RETURN 0;
  END IF;
  RETURN (
    SELECT coalesce(min(leaving.left_ms) FILTER (WHERE total - gone <= room), 0)
      * (coalesce(max(total), 0) > room)::int
    FROM (
      SELECT second.left_ms, sum(second.used) OVER (ORDER BY second.left_ms) AS gone,
        sum(second.used) OVER () AS total
      FROM slot_load l, read_minute(l.requests, l.tokens, l.counted_at) s,
        LATERAL (SELECT s.left_ms, CASE kind WHEN 'requests' THEN s.requests ELSE s.tokens END)
          AS second (left_ms, used)
      WHERE l.slot_id = slot AND l.account_id = '' AND second.used > 0
    ) leaving);
END $$;
