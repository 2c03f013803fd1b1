-- Returns when the period of a budget ends that contains `at`, in a time zone: infinity for a total
-- budget. Counted by the calendar, since a day with a change of clocks has not 24 hours.
CREATE OR REPLACE FUNCTION find_period_end(period text, at timestamptz, zone text)
RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN period = 'total' THEN 'infinity'
    ELSE (date_trunc(period, find_period_start(period, at, zone) AT TIME ZONE zone)
      + ('1 ' || period)::interval) AT TIME ZONE zone
  END
$$;
