-- Trigger function of `hold`, after each INSERT, UPDATE and DELETE statement: adds the change of
-- the holds' amounts to held_nano_usd of their wallets, which therefore always is the sum of the
-- wallet's holds. It is the only writer of held_nano_usd. Where the account has limits, it does the
-- same for its limits and those of the holds' keys, and for the requests in progress.
-- Locks: the statement that changes the holds has locked the wallets. They are updated in order of
-- account id.
CREATE OR REPLACE FUNCTION apply_holds() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  account_ids text[];
  key_ids text[];
  amounts bigint[];
  slots bigint[];
  change record;
  limited text[] := '{}';
  is_limited boolean;
BEGIN
  -- Each operation has only its own transition tables.
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(account_id), array_agg(key_id), array_agg(amount_nano_usd),
      array_agg(in_progress)
      INTO account_ids, key_ids, amounts, slots FROM new_rows;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(account_id), array_agg(key_id), array_agg(-amount_nano_usd),
      array_agg(-in_progress)
      INTO account_ids, key_ids, amounts, slots FROM old_rows;
  ELSE
    SELECT array_agg(account_id), array_agg(key_id), array_agg(amount), array_agg(in_progress)
      INTO account_ids, key_ids, amounts, slots
    FROM (
      SELECT account_id, key_id, sum(amount)::bigint AS amount,
        sum(in_progress)::bigint AS in_progress
      FROM (
        SELECT account_id, key_id, amount_nano_usd AS amount, in_progress FROM new_rows
        UNION ALL SELECT account_id, key_id, -amount_nano_usd, -in_progress FROM old_rows
      ) changed
      GROUP BY account_id, key_id HAVING sum(amount) <> 0 OR sum(in_progress) <> 0
    ) changes;
  END IF;

  FOR change IN
    SELECT account_id, sum(amount)::bigint AS amount
    FROM unnest(account_ids, amounts) AS changed (account_id, amount)
    GROUP BY account_id ORDER BY account_id
  LOOP
    UPDATE wallet SET held_nano_usd = held_nano_usd + change.amount
      WHERE account_id = change.account_id RETURNING has_limits INTO is_limited;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'a hold needs a wallet: account % has none', change.account_id;
    ELSIF is_limited THEN
      limited := array_append(limited, change.account_id);
    END IF;
  END LOOP;

  IF limited <> '{}' THEN
    FOR change IN
      SELECT account_id, owner_id, sum(amount)::bigint AS amount,
        sum(in_progress)::bigint AS in_progress
      FROM unnest(account_ids, key_ids, amounts, slots)
          AS changed (account_id, key_id, amount, in_progress),
        LATERAL (VALUES (account_id), (key_id)) AS of (owner_id)
      WHERE account_id = ANY (limited) AND owner_id <> '' GROUP BY account_id, owner_id
    LOOP
      UPDATE usage_limit SET held_nano_usd = held_nano_usd + change.amount,
        in_progress = usage_limit.in_progress + change.in_progress
        WHERE owner_id = change.owner_id AND account_id = change.account_id;
    END LOOP;
  END IF;
  RETURN NULL;
END $$;
