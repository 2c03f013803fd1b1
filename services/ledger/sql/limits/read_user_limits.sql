-- Returns what is left of the limits of the end users of those keys that have limits for each user;
-- empty if no key has, of which `limits` are. Users who have no limits yet get them
-- (open_end_users).
-- Locks: the caller has locked the wallets.
CREATE OR REPLACE FUNCTION read_user_limits(limits limits_left[], key_ids text[], end_users text[])
RETURNS limits_left[] LANGUAGE plpgsql AS $$
DECLARE
  owner limits_left;
BEGIN
  FOREACH owner IN ARRAY limits LOOP
    IF owner.limits_users THEN
      PERFORM open_end_users(key_ids, end_users);
      RETURN read_limits_left(ARRAY(
        SELECT end_user_owner_id(key_id, end_user)
        FROM unnest(key_ids, end_users) AS of (key_id, end_user)));
    END IF;
  END LOOP;
  RETURN '{}';
END $$;
