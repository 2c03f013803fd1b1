-- Returns when the period of a budget began that contains `at`, in a time zone; a week begins on
-- Monday. A total budget has one period without a start. Where clocks go back at midnight, that
-- midnight comes twice, and the period begins with the second: until then, three hours earlier is
-- in the same period.
CREATE OR REPLACE FUNCTION find_period_start(period text, at timestamptz, zone text)
RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN period = 'total' THEN '-infinity'
    WHEN date_trunc(period, at, zone) > at THEN date_trunc(period, at - interval '3 hours', zone)
    ELSE date_trunc(period, at, zone)
  END
$$;
