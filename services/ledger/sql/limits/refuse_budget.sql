-- Returns the refusal of a budget (refuse_limit): of the key's or of the account's, of which less is
-- left.
CREATE OR REPLACE FUNCTION refuse_budget(key limits_left, account limits_left)
RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN account.budget_left IS NULL OR key.budget_left <= account.budget_left
      THEN refuse_limit('budget', key.owner_id, key.added_nano_usd, 0)
    ELSE refuse_limit('budget', account.owner_id, account.added_nano_usd, 0)
  END
$$;
