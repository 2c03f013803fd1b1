-- Deletes a hold that no usage event will capture: its money is available again, and what it counts
-- against limits is not used, except for the request itself with `keeps_request`. A hold that does
-- not exist changes nothing.
-- Locks: the wallet first.
CREATE OR REPLACE FUNCTION release_hold(hold_id text, keeps_request boolean)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  owner text;
  released hold;
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true);
  SELECT account_id INTO owner FROM hold WHERE id = hold_id;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM FROM wallet WHERE account_id = owner FOR UPDATE;
  DELETE FROM hold WHERE id = hold_id AND account_id = owner RETURNING * INTO released;
  IF FOUND THEN
    PERFORM remove_from_minute(released, CASE WHEN keeps_request THEN 0 ELSE released.requests END,
      released.tokens);
  END IF;
END $$;
