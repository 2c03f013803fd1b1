-- Returns the limits of the end users of a key, and how much of them is used now, each as the JSON
-- of a tollgate.v1.LimitUse: those who have spent most in the current period first, at most `most`.
CREATE OR REPLACE FUNCTION list_end_users(key text, most bigint) RETURNS SETOF jsonb
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT l.use FROM list_limits(ARRAY(
      SELECT u.owner_id FROM usage_limit u WHERE u.key_id = key
      ORDER BY
        CASE WHEN now() >= u.period_end THEN 0 ELSE u.spent_nano_usd END + u.held_nano_usd DESC,
        u.owner_id
      LIMIT most)) AS l (use)
    ORDER BY (l.use ->> 'spentNanoUsd')::bigint DESC, l.use ->> 'ownerId';
END $$;
