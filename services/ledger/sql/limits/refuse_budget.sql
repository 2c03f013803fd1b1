-- Returns the refusal of a budget (refuse_limit): of the end user's, the key's or the account's, of
-- which least is left.
CREATE OR REPLACE FUNCTION refuse_budget(end_user limits_left, key limits_left, account limits_left)
RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  owner limits_left;
  lowest limits_left;
BEGIN
  FOREACH owner IN ARRAY ARRAY[end_user, key, account] LOOP
    IF owner.budget_left IS NOT NULL AND (lowest.budget_left <= owner.budget_left) IS NOT TRUE THEN
      lowest := owner;
    END IF;
  END LOOP;
  RETURN refuse_limit('budget', lowest.owner_id, lowest.added_nano_usd, 0);
END $$;
