-- Returns a budget as the JSON of a tollgate.v1.Budget. NULL where there is none.
CREATE OR REPLACE FUNCTION format_budget(amount bigint, period text) RETURNS jsonb
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN amount IS NOT NULL THEN jsonb_build_object(
    'amountNanoUsd', amount::text, 'period', 'BUDGET_PERIOD_' || upper(period)) END
$$;
