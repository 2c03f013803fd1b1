-- Counts one call of a slot, or refuses it; see take_slot_uses.
-- Locks: the caller has locked the slot's slot_load.
CREATE OR REPLACE FUNCTION take_slot_use(
  use_id text, slot text, account text, more_tokens bigint,
  most_requests bigint, most_tokens bigint, most_parallel bigint, lease_ms integer
)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  -- now() is from before the wait for the lock.
  at constant timestamptz := clock_timestamp();
  accounts bigint;
  in_progress bigint;
  own_in_progress bigint;
  own record;
  wait_ms bigint;
BEGIN
  UPDATE slot_load SET asked_at = at WHERE slot_id = slot AND account_id = account;
  SELECT count(*) INTO accounts FROM slot_load
    WHERE slot_id = slot AND account_id <> '' AND asked_at > at - interval '1 minute';
  SELECT count(*), count(*) FILTER (WHERE account_id = account) INTO in_progress, own_in_progress
    FROM slot_use WHERE slot_id = slot AND expires_at > at;
  IF in_progress >= limit_for_account(most_parallel, own_in_progress, accounts) THEN
    RETURN 1000;
  END IF;
  SELECT coalesce(sum(s.requests), 0)::bigint AS requests,
    coalesce(sum(s.tokens), 0)::bigint AS tokens
    INTO own FROM slot_load l, read_minute(l.requests, l.tokens, l.counted_at) s
    WHERE l.slot_id = slot AND l.account_id = account;
  wait_ms := greatest(
    find_slot_wait(slot, 'requests', 1, limit_for_account(most_requests, own.requests, accounts)),
    find_slot_wait(slot, 'tokens', more_tokens,
      limit_for_account(most_tokens, own.tokens, accounts)));
  IF wait_ms > 0 THEN
    RETURN wait_ms;
  END IF;
  INSERT INTO slot_use (id, slot_id, account_id, tokens, begun_at, expires_at)
    VALUES (use_id, slot, account, more_tokens, at, at + lease_ms * interval '1 millisecond')
    ON CONFLICT DO NOTHING;
  PERFORM count_in_slot_minute(slot, account, at, 1, more_tokens);
  RETURN 0;
END $$;
