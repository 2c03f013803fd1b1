-- Returns what is held for a request whose end user, key or account has limits, where `available`
-- nano-USD of the wallet's balance are, or the refusal of the first limit that has too little left,
-- as take_holds describes it. Neither: nothing of the wallet is available.
CREATE OR REPLACE FUNCTION decide_limited_hold(
  end_user limits_left, key limits_left, account limits_left, available bigint, balance bigint,
  estimate bigint,
  lowest bigint, alone_below bigint, is_whole boolean, needs_budget boolean, tokens bigint
)
RETURNS hold_decision LANGUAGE plpgsql STABLE AS $$
DECLARE
  decision hold_decision;
  budget_left constant bigint := 
    least(end_user.budget_left, key.budget_left, account.budget_left);
  amount bigint := CASE
    WHEN needs_budget AND budget_left < estimate THEN 0
    ELSE compute_hold(estimate, lowest, alone_below, is_whole, least(available, budget_left), true)
  END;
BEGIN
  IF available < alone_below AND available < balance THEN
    RETURN decision;
  ELSIF is_shared_below(end_user, alone_below) OR is_shared_below(key, alone_below)
    OR is_shared_below(account, alone_below)
  THEN
    decision.refusal := refuse_budget(end_user, key, account);
    RETURN decision;
  END IF;
  IF amount > 0 OR estimate <= 0 THEN
    decision.refusal := check_limits(end_user, key, account, tokens);
    decision.taken := CASE WHEN decision.refusal IS NULL THEN amount END;
  ELSIF compute_hold(estimate, lowest, alone_below, is_whole, available, true) > 0 THEN
    decision.refusal := refuse_budget(end_user, key, account);
  END IF;
  RETURN decision;
END $$;
