-- Releases `amount` nano-USD of a shared hold of `owner`: the part that no request uses. From then
-- on no request takes a part of it, and a second call changes nothing. A hold that has no more is
-- deleted; what is left belongs to usage events that are yet to be captured.
-- Locks: the wallet first. The commit is not waited for on disk; see take_holds.
CREATE OR REPLACE FUNCTION release_shared_hold(hold_id text, owner text, amount bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
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
