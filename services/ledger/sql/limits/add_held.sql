-- Adds the amounts of an account's holds, and the counts of their requests in progress, to its
-- limits and to those of the holds' keys and end users. Nothing else changes held_nano_usd and
-- in_progress, besides set_limits. IS TRUE keeps Postgres from using the index on account_id, which
-- would read the limits of all keys of the account.
-- Locks: the caller has locked the wallet.
CREATE OR REPLACE FUNCTION add_held(
  account text, key_ids text[], end_users text[], amounts bigint[], counts bigint[]
)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  owners text[];
  more_held bigint[];
  more_in_progress bigint[];
BEGIN
  SELECT array_agg(owner_id), array_agg(sum_held), array_agg(sum_in_progress)
    INTO owners, more_held, more_in_progress
    FROM (
      SELECT owner_id, sum(amount)::bigint AS sum_held, sum(in_progress)::bigint AS sum_in_progress
      FROM unnest(key_ids, end_users, amounts, counts)
          AS held (key_id, end_user, amount, in_progress),
        LATERAL (VALUES (account), (key_id), (end_user_owner_id(key_id, end_user))) AS of (owner_id)
      WHERE owner_id <> '' GROUP BY owner_id
    ) sums;
  UPDATE usage_limit SET
    held_nano_usd = held_nano_usd + more_held[array_position(owners, owner_id)],
    in_progress = in_progress + more_in_progress[array_position(owners, owner_id)]
    WHERE owner_id = ANY (owners) AND (account_id = account) IS TRUE;
END $$;
