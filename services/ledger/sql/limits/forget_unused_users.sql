-- Deletes the limits of those of the end users of whom nothing is held, was charged in the current period, or
-- was counted in a minute: they were read for a request that is refused.
-- Locks: the caller has locked the wallets.
CREATE OR REPLACE FUNCTION forget_unused_users(users limits_left[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM usage_limit u
    WHERE u.owner_id = ANY (ARRAY(SELECT owner_id FROM unnest(users))) AND is_ended_user(u);
END $$;
