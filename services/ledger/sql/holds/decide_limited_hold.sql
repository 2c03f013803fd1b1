-- Returns what is held for a request whose key or account has limits, where `available` nano-USD of the
-- wallet are, or the refusal of the first limit that has too little left, as take_holds describes it.
-- Neither: nothing of the wallet is available.
CREATE OR REPLACE FUNCTION decide_limited_hold(
  key limits_left, account limits_left, available bigint, estimate bigint, lowest bigint,
  is_whole boolean, needs_budget boolean, tokens bigint
)
RETURNS hold_decision LANGUAGE plpgsql STABLE AS $$
DECLARE
  decision hold_decision;
  budget_left constant bigint := least(key.budget_left, account.budget_left);
  amount bigint := CASE
    WHEN needs_budget AND budget_left < estimate THEN 0
    ELSE compute_hold(estimate, lowest, is_whole, least(available, budget_left))
  END;
BEGIN
  IF amount > 0 OR estimate <= 0 THEN
    decision.refusal := check_limits(key, account, tokens);
    decision.taken := CASE WHEN decision.refusal IS NULL THEN amount END;
  ELSIF compute_hold(estimate, lowest, is_whole, available) > 0 THEN
    decision.refusal := refuse_budget(key, account);
  END IF;
  RETURN decision;
END $$;
