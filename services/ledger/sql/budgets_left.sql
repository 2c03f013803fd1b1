-- Returns what is left of the budgets of those owners that have limits, NULL without a budget. Like
-- current_limits, without what the last minute used.
CREATE OR REPLACE FUNCTION budgets_left(owners text[])
RETURNS TABLE (owner_id text, budget_left bigint) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT l.owner_id, l.budget_nano_usd - l.held_nano_usd - CASE
      WHEN budget_period_start(l.budget_period, now()) > l.period_start THEN 0
      ELSE l.spent_nano_usd END
  FROM usage_limit l WHERE l.owner_id = ANY (owners);
END $$;
