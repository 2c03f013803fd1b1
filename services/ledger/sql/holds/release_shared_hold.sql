-- Releases the part of a shared hold of `owner` that no request uses: `amount` nano-USD, and what
-- it takes of limits. The hold is not shared any more, so a second call changes nothing. A hold
-- with nothing left is deleted; the rest of any other belongs to usage events that are not captured
-- yet.
-- Locks: the wallet first. Commits asynchronously; see take_holds.
CREATE OR REPLACE FUNCTION release_shared_hold(
  hold_id text, owner text, amount bigint, unused_requests bigint, unused_tokens bigint,
  unused_in_progress bigint
)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  shared hold;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '100ms', true);
  PERFORM FROM wallet WHERE account_id = owner FOR UPDATE;
  UPDATE hold SET is_shared = false WHERE id = hold_id AND account_id = owner AND is_shared
    RETURNING * INTO shared;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM remove_from_minute(shared, least(unused_requests, shared.requests),
    least(unused_tokens, shared.tokens));
  PERFORM reduce_hold(hold_id, amount, unused_requests, unused_tokens, unused_in_progress);
END $$;
