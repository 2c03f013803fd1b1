-- Returns when the period of a budget ends that begins at `start`: NULL for a total budget.
CREATE OR REPLACE FUNCTION find_period_end(period text, start timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN period <> 'total'
    THEN (start AT TIME ZONE 'UTC' + ('1 ' || period)::interval) AT TIME ZONE 'UTC' END
$$;
