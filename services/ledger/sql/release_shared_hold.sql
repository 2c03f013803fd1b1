-- Releases `amount` nano-USD of a shared hold of `owner`: the part that no request uses. The hold
-- is not shared any more, so a second call changes nothing. A hold with nothing left is deleted;
-- the rest of any other belongs to usage events that are not captured yet.
-- Locks: the wallet first. Commits asynchronously; see take_holds.
CREATE OR REPLACE FUNCTION release_shared_hold(hold_id text, owner text, amount bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '100ms', true);
  PERFORM FROM wallet WHERE account_id = owner FOR UPDATE;
  UPDATE hold SET is_shared = false WHERE id = hold_id AND account_id = owner AND is_shared;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE hold SET amount_nano_usd = amount_nano_usd - amount
    WHERE id = hold_id AND amount_nano_usd > amount;
  IF NOT FOUND THEN
    DELETE FROM hold WHERE id = hold_id;
  END IF;
END $$;
