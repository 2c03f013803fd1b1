-- Makes a hold of `owner` that of a job, whose usage event `event_id` captures it: it has `amount`
-- nano-USD, or less where the wallet and the budgets have less available, expires `keep_ms`
-- milliseconds from now at the earliest, and is not in progress. A hold that does not exist is
-- created, with `is_whole` only if all of the amount is available. It counts no request: the hold
-- that it replaces has. Where the event is recorded, nothing is held.
-- Returns one row: `held`, zero where there is no hold, `is_recorded`, `wallet_held` and
-- `wallet_balance`, and as JSON the `refusal` of the budget for which it has less than the amount,
-- if one is the reason (refuse_limit).
-- Locks: the wallet first. Commits synchronously: the hold of a job must survive a crash.
CREATE OR REPLACE FUNCTION keep_hold(
  hold_id text, owner text, key text, amount bigint, is_whole boolean, keep_ms bigint,
  event_id text, alias_of_job text, id_of_job text
)
RETURNS TABLE (
  held bigint, is_recorded boolean, wallet_held bigint, wallet_balance bigint, refusal jsonb
) LANGUAGE plpgsql AS $$
DECLARE
  w wallet;
  existing hold;
  available bigint;
  added bigint;
  user_limits limits_left;
  key_limits limits_left;
  account_limits limits_left;
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true);
  SELECT * INTO w FROM wallet WHERE account_id = owner FOR UPDATE;
  SELECT * INTO existing FROM hold WHERE id = hold_id AND account_id = owner;
  is_recorded := EXISTS (SELECT FROM recorded_event r WHERE r.event_id = keep_hold.event_id);
  held := coalesce(existing.amount_nano_usd, 0);
  wallet_held := coalesce(w.held_nano_usd, 0);
  wallet_balance := coalesce(w.balance_nano_usd, 0);
  IF is_recorded THEN
    RETURN NEXT;
    RETURN;
  END IF;
  available := wallet_balance - wallet_held;
  IF w.has_limits THEN
    key_limits := (read_limits_left(ARRAY[key]))[1];
    account_limits := (read_limits_left(ARRAY[owner]))[1];
    -- No request for a job names an end user.
    user_limits := (read_user_limits(ARRAY[key_limits], ARRAY[key], ARRAY['']))[1];
    available := least(available, user_limits.budget_left, key_limits.budget_left,
      account_limits.budget_left);
  END IF;
  added := greatest(0, least(amount - held, available));
  IF held + added < amount AND available < wallet_balance - wallet_held THEN
    refusal := refuse_budget(user_limits, key_limits, account_limits);
  END IF;
  IF existing.id IS NOT NULL THEN
    UPDATE hold SET amount_nano_usd = amount_nano_usd + added, in_progress = 0,
      expires_at = greatest(expires_at, now() + keep_ms * interval '1 millisecond'),
      alias = alias_of_job, job_id = id_of_job
    WHERE id = hold_id;
  ELSIF added > 0 AND (added = amount OR NOT is_whole) THEN
    INSERT INTO hold (id, account_id, amount_nano_usd, created_at, expires_at, key_id, alias,
      job_id)
    VALUES (hold_id, owner, added, now(), now() + keep_ms * interval '1 millisecond', key,
      alias_of_job, id_of_job);
  ELSE
    added := 0;
  END IF;
  held := held + added;
  wallet_held := wallet_held + added;
  RETURN NEXT;
END $$;
