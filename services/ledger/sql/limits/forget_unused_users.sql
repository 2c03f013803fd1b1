-- Deletes the limits of these end users, except those with holds, charges in the current period or
-- requests in the last minute. They were inserted for requests that are then refused.
-- Locks: the caller has locked the wallets.
CREATE OR REPLACE FUNCTION forget_unused_users(users limits_left[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM usage_limit u
    WHERE u.owner_id = ANY (ARRAY(SELECT owner_id FROM unnest(users))) AND is_ended_user(u);
END $$;
