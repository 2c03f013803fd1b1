-- Trigger function of `hold`, after each INSERT, UPDATE and DELETE statement: adds the change of
-- the holds' amounts to held_nano_usd of their wallets, which therefore always is the sum of the
-- wallet's holds. It is the only writer of held_nano_usd. Where the account has limits, it does the
-- same for its limits and those of the holds' keys and end users (add_held).
-- Locks: the statement that changes the holds has locked the wallets. They are updated in order of
-- account id.
CREATE OR REPLACE FUNCTION apply_holds() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change record;
  is_limited boolean;
BEGIN
  -- Each operation has only its own transition tables.
  IF TG_OP = 'INSERT' THEN
    FOR change IN
      SELECT account_id, sum(amount_nano_usd)::bigint AS amount, array_agg(key_id) AS key_ids,
        array_agg(end_user) AS end_users, array_agg(amount_nano_usd) AS amounts,
        array_agg(in_progress) AS counts
      FROM new_rows GROUP BY account_id ORDER BY account_id
    LOOP
      UPDATE wallet SET held_nano_usd = held_nano_usd + change.amount
        WHERE account_id = change.account_id RETURNING has_limits INTO is_limited;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'a hold needs a wallet: account % has none', change.account_id;
      ELSIF is_limited THEN
        PERFORM add_held(change.account_id, change.key_ids, change.end_users, change.amounts,
          change.counts);
      END IF;
    END LOOP;
  ELSIF TG_OP = 'DELETE' THEN
    FOR change IN
      SELECT account_id, sum(amount_nano_usd)::bigint AS amount, array_agg(key_id) AS key_ids,
        array_agg(end_user) AS end_users, array_agg(-amount_nano_usd) AS amounts,
        array_agg(-in_progress) AS counts
      FROM old_rows GROUP BY account_id ORDER BY account_id
    LOOP
      UPDATE wallet SET held_nano_usd = held_nano_usd - change.amount
        WHERE account_id = change.account_id RETURNING has_limits INTO is_limited;
      IF is_limited THEN
        PERFORM add_held(change.account_id, change.key_ids, change.end_users, change.amounts,
          change.counts);
      END IF;
    END LOOP;
  ELSE
    FOR change IN
      SELECT account_id, sum(amount)::bigint AS amount, array_agg(key_id) AS key_ids,
        array_agg(end_user) AS end_users, array_agg(amount) AS amounts,
        array_agg(in_progress) AS counts
      FROM (
        SELECT account_id, key_id, end_user, amount_nano_usd AS amount, in_progress FROM new_rows
        UNION ALL SELECT account_id, key_id, end_user, -amount_nano_usd, -in_progress FROM old_rows
      ) changes
      GROUP BY account_id HAVING sum(amount) <> 0 OR sum(in_progress) <> 0 ORDER BY account_id
    LOOP
      UPDATE wallet SET held_nano_usd = held_nano_usd + change.amount
        WHERE account_id = change.account_id RETURNING has_limits INTO is_limited;
      IF is_limited THEN
        PERFORM add_held(change.account_id, change.key_ids, change.end_users, change.amounts,
          change.counts);
      END IF;
    END LOOP;
  END IF;
  RETURN NULL;
END $$;
