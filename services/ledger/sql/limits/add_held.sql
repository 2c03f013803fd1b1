-- Adds what holds of an account hold and have in progress to its limits and to those of the holds'
-- keys. Nothing else changes held_nano_usd and in_progress, besides set_limits.
-- IS TRUE keeps Postgres from using the index on account_id, which would read the limits of all keys of
-- the account.
-- Locks: the caller has locked the wallet.
CREATE OR REPLACE FUNCTION add_held(
  account text, key_ids text[], amounts bigint[], slots bigint[]
)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  owners text[];
  more_held bigint[];
  more_slots bigint[];
BEGIN
  SELECT array_agg(owner_id), array_agg(sum_held), array_agg(sum_slots)
    INTO owners, more_held, more_slots
    FROM (
      SELECT owner_id, sum(amount)::bigint AS sum_held, sum(slot)::bigint AS sum_slots
      FROM unnest(key_ids, amounts, slots) AS held (key_id, amount, slot),
        LATERAL (VALUES (account), (key_id)) AS of (owner_id)
      WHERE owner_id <> '' GROUP BY owner_id
    ) sums;
  UPDATE usage_limit SET
    held_nano_usd = held_nano_usd + more_held[array_position(owners, owner_id)],
    in_progress = in_progress + more_slots[array_position(owners, owner_id)]
    WHERE owner_id = ANY (owners) AND (account_id = account) IS TRUE;
END $$;
