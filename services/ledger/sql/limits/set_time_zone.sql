-- Sets the time zone of an account's budgets. Opens the wallet if there is none. The periods of its
-- budgets end as they would have; those that follow are of the new zone. Returns false, and changes
-- nothing, for a name that is not one of the database's time zones.
-- Locks: the wallet first.
CREATE OR REPLACE FUNCTION set_time_zone(account text, zone text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  -- Postgres takes abbreviations and rules as zones too, in which no summer time begins.
  IF NOT EXISTS (SELECT FROM pg_timezone_names WHERE name = zone) THEN
    RETURN false;
  END IF;
  PERFORM set_config('lock_timeout', '100ms', true);
  INSERT INTO wallet (account_id, balance_nano_usd, held_nano_usd) VALUES (account, 0, 0)
    ON CONFLICT DO NOTHING;
  UPDATE wallet SET time_zone = zone WHERE account_id = account;
  UPDATE usage_limit SET time_zone = zone,
    spent_nano_usd = CASE WHEN now() >= period_end THEN 0 ELSE spent_nano_usd END,
    period_start = CASE WHEN now() >= period_end
      THEN greatest(period_end, find_period_start(budget_period, now(), time_zone))
      ELSE period_start END,
    period_end = CASE WHEN now() >= period_end
      THEN find_period_end(budget_period, now(), time_zone) ELSE period_end END
    WHERE account_id = account;
  RETURN true;
END $$;
