-- Returns the refusal of a limit as the JSON of a tollgate.v1.LimitRefusal. `kind` is 'budget',
-- 'parallel', 'requests' or 'tokens'. `added_held` is what is held of a budget besides its row, and
-- `excess` by how much a rate would be exceeded: a retry can succeed when that much has left the
-- minute. When a request in progress ends is unknown: a retry is worth it after a second.
CREATE OR REPLACE FUNCTION refuse_limit(kind text, owner text, added_held bigint, excess bigint)
RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  wait_ms bigint := CASE kind WHEN 'parallel' THEN 1000 END;
BEGIN
  IF kind IN ('requests', 'tokens') THEN
    SELECT coalesce(min(leaving.left_ms), 60000) INTO wait_ms FROM (
      SELECT s.left_ms,
        sum(CASE kind WHEN 'requests' THEN s.requests ELSE s.tokens END)
          OVER (ORDER BY s.left_ms) AS gone
      FROM usage_limit u, read_minute(u.requests, u.tokens, u.counted_at) s
      WHERE u.owner_id = owner
    ) leaving WHERE gone >= excess;
  END IF;
  RETURN (
    SELECT jsonb_strip_nulls(jsonb_build_object(
      'kind', 'LIMIT_KIND_' || upper(kind),
      'ownerId', l.owner_id,
      'isAccount', l.owner_id = l.account_id,
      'isEndUser', l.end_user IS NOT NULL,
      'limits', format_limits(l.budget, l.period, l.requests_per_minute, l.tokens_per_minute,
        l.parallel),
      'heldNanoUsd', (l.held + added_held)::text,
      'resetsAt', format_timestamp(l.period_end),
      'retryAfterMs', wait_ms))
    FROM read_limits(ARRAY[owner]) l);
END $$;
