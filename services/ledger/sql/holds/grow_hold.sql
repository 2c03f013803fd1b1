-- Adds min(estimate, available) nano-USD to a hold of `owner`, and sets it to expire `hold_ms`
-- milliseconds from now. A hold that has expired is created again with that amount, and with the
-- model of its lost request, so that its loss is recorded if its process dies later. What the
-- budgets of the end user, the key and the account have left is available at most. The request that
-- holds it is in progress, unless a shared hold counts it already (`is_counted`).
-- Returns one row: `added`, `wallet_held`, what all holds of the wallet reserve, `wallet_balance`,
-- and as JSON the `refusal` of the budget for which nothing was added, if one is the reason
-- (refuse_limit).
-- Locks: the wallet first.
CREATE OR REPLACE FUNCTION grow_hold(
  hold_id text, owner text, key text, user_of_key text, estimate bigint, is_counted boolean,
  hold_ms bigint
)
RETURNS TABLE (added bigint, wallet_held bigint, wallet_balance bigint, refusal jsonb)
LANGUAGE plpgsql AS $$
DECLARE
  w wallet;
  available bigint;
  user_limits limits_left;
  key_limits limits_left;
  account_limits limits_left;
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true);
  SELECT * INTO w FROM wallet WHERE account_id = owner FOR UPDATE;
  available := coalesce(w.balance_nano_usd - w.held_nano_usd, 0);
  IF w.has_limits THEN
    key_limits := (read_limits_left(ARRAY[key]))[1];
    account_limits := (read_limits_left(ARRAY[owner]))[1];
    user_limits := (read_user_limits(ARRAY[key_limits], ARRAY[key], ARRAY[user_of_key]))[1];
  END IF;
  added := greatest(0,
    least(estimate, available, user_limits.budget_left, key_limits.budget_left,
      account_limits.budget_left));
  wallet_held := coalesce(w.held_nano_usd, 0) + added;
  wallet_balance := coalesce(w.balance_nano_usd, 0);
  IF added > 0 THEN
    INSERT INTO hold (id, account_id, amount_nano_usd, created_at, expires_at, key_id, end_user,
      in_progress, alias, route_type, unit_type)
    SELECT hold_id, owner, added, now(), now() + hold_ms * interval '1 millisecond', key,
      user_of_key, CASE WHEN is_counted THEN 0 ELSE 1 END, coalesce(lost.alias, ''),
      coalesce(lost.route_type, ''), coalesce(lost.unit_type, '')
    FROM (VALUES (hold_id)) AS of (id) LEFT JOIN lost_request AS lost USING (id)
    ON CONFLICT (id) DO UPDATE SET
      amount_nano_usd = hold.amount_nano_usd + excluded.amount_nano_usd,
      expires_at = excluded.expires_at;
  ELSIF available > 0 AND estimate > 0 THEN
    refusal := refuse_budget(user_limits, key_limits, account_limits);
  END IF;
  RETURN NEXT;
END $$;
