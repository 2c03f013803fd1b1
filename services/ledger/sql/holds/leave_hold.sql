-- Takes one request off those that a hold counts as in progress: its client left, and it goes on.
-- Its money stays held. A hold that does not exist, or counts none, stays as it is.
-- Locks: the wallet first. Commits asynchronously; see take_holds.
CREATE OR REPLACE FUNCTION leave_hold(hold_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM lock_wallets(ARRAY(SELECT account_id FROM hold WHERE id = hold_id));
  UPDATE hold SET in_progress = in_progress - 1 WHERE id = hold_id AND in_progress > 0;
END $$;
