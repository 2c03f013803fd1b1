-- Returns when the period of a budget began that contains `at`, in UTC; a week begins on Monday. A
-- total budget has one period without a start.
CREATE OR REPLACE FUNCTION find_period_start(period text, at timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN period = 'total' THEN '-infinity' ELSE date_trunc(period, at, 'UTC') END
$$;
