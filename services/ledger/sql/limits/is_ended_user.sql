-- Returns whether nothing depends on the limits of an end user: see delete_ended_users.
CREATE OR REPLACE FUNCTION is_ended_user(limits usage_limit) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN limits.held_nano_usd = 0 AND limits.in_progress = 0
    AND (limits.spent_nano_usd = 0 OR coalesce(now() >= limits.period_end, true))
    AND NOT EXISTS (
      SELECT FROM unnest(limits.counted_at) AS at WHERE at > now() - interval '61 seconds');
END $$;
