-- Returns the refusal of a budget (limit_refusal): of the key's or of the account's, of which less is
-- left.
CREATE OR REPLACE FUNCTION refuse_budget(key limit_state, account limit_state)
RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN account.budget_left IS NULL OR key.budget_left <= account.budget_left
      THEN limit_refusal('budget', key.owner_id, key.added_nano_usd, 0)
    ELSE limit_refusal('budget', account.owner_id, account.added_nano_usd, 0)
  END
$$;
