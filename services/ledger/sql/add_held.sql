-- Adds what holds of an account hold and have in progress to its limits and to those of the holds'
-- keys. Nothing else changes held_nano_usd and in_progress, besides set_limits.
-- Locks: the caller has locked the wallet.
CREATE OR REPLACE FUNCTION add_held(
  account text, key_ids text[], amounts bigint[], slots bigint[]
)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  change record;
BEGIN
  FOR change IN
    SELECT owner_id, sum(amount)::bigint AS amount, sum(slot)::bigint AS slots
    FROM unnest(key_ids, amounts, slots) AS held (key_id, amount, slot),
      LATERAL (VALUES (account), (key_id)) AS of (owner_id)
    WHERE owner_id <> '' GROUP BY owner_id
  LOOP
    UPDATE usage_limit SET held_nano_usd = held_nano_usd + change.amount,
      in_progress = in_progress + change.slots
      WHERE owner_id = change.owner_id AND account_id = account;
  END LOOP;
END $$;
