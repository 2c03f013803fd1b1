-- Takes a hold of `amount` nano-USD that many requests of one service share, in full or
-- not at all. It expires after `hold_ms` milliseconds. The requests are those of `key`, or where
-- that is empty, those of the account's keys without limits. Of limits, it takes `new_requests` and
-- `new_tokens` of a minute, and `new_in_progress` requests in progress.
--
-- It is refused when the wallet's shared holds, of all services, would exceed one part in `parts`
-- of the money that nothing else holds: what is unused in them must refuse hardly any request. The
-- same holds for what the shared holds of the key, or of the account, take of each of its limits. A
-- key that has limits for each of its end users has no shared holds: a hold is of one user.
--
-- Returns one row: whether it was taken, and the `rates` that are left, as take_holds does.
-- Locks: the wallet first. Commits asynchronously; see take_holds.
CREATE OR REPLACE FUNCTION take_shared_hold(
  hold_id text, owner text, key text, amount bigint, new_requests bigint, new_tokens bigint,
  new_in_progress bigint, parts bigint, hold_ms bigint
)
RETURNS TABLE (granted boolean, rates jsonb) LANGUAGE plpgsql AS $$
DECLARE
  w wallet;
  available bigint;
  shared bigint;
  key_limits limits_left;
  account_limits limits_left;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '100ms', true);
  SELECT * INTO w FROM wallet WHERE account_id = owner FOR UPDATE;
  available := w.balance_nano_usd - w.held_nano_usd;
  SELECT coalesce(sum(amount_nano_usd), 0) INTO shared
    FROM hold WHERE account_id = owner AND is_shared;
  granted := coalesce(shared + amount <= (shared + available) / parts, false);
  IF w.has_limits THEN
    key_limits := (read_limits_left(ARRAY[key]))[1];
    account_limits := (read_limits_left(ARRAY[owner]))[1];
    granted := granted AND key_limits.limits_users IS NOT TRUE
      AND allows_shared_hold(
        key_limits, amount, new_requests, new_tokens, new_in_progress, parts)
      AND allows_shared_hold(
        account_limits, amount, new_requests, new_tokens, new_in_progress, parts);
  END IF;
  IF granted THEN
    INSERT INTO hold (id, account_id, amount_nano_usd, created_at, expires_at, is_shared, key_id,
      requests, tokens, in_progress)
    VALUES (hold_id, owner, amount, now(), now() + hold_ms * interval '1 millisecond', true, key,
      new_requests, new_tokens, new_in_progress);
  END IF;
  IF w.has_limits THEN
    IF granted THEN
      PERFORM count_in_minute(ARRAY[key, owner], owner, now(), ARRAY[new_requests, new_requests],
        ARRAY[new_tokens, new_tokens]);
      key_limits := take_from_limits(
        key_limits, amount, new_requests, new_tokens, new_in_progress);
      account_limits := take_from_limits(
        account_limits, amount, new_requests, new_tokens, new_in_progress);
    END IF;
    rates := format_rates(NULL, key_limits, account_limits);
  END IF;
  RETURN NEXT;
END $$;
