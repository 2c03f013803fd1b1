-- Trigger function of `entry`, after each INSERT statement: applies the new entries to the wallets
-- and to the tables that follow from single entries; add_to_usage_sums writes their sums. It is the
-- only writer of these tables, and of a wallet's balance.
--   wallet          balance_nano_usd += amount_nano_usd; an amount without a wallet is an error
--   recorded_event  one row per entry; a second entry of an event is a unique violation
--   charge          one row per entry with a charge id; a second one is a unique violation
--   credit          one row per top-up; a second one of its reference is a unique violation
--   adjustment      the same for adjustments
--   usage_limit     spent_nano_usd += the charges of the owner, in the period of recorded_at
--   conversation_spend  the charges of the conversation that the entry is linked to
-- Locks: the statement that inserts has locked the wallets. They are updated in order of account
-- id.
CREATE OR REPLACE FUNCTION apply_entries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change record;
  limited text[] := '{}';
  is_limited boolean;
BEGIN
  INSERT INTO recorded_event (event_id, entry_id, recorded_at)
    SELECT event_id, id, recorded_at FROM new_rows;
  INSERT INTO charge (charge_id, charged_nano_usd, entry_id, recorded_at)
    SELECT charge_id, -amount_nano_usd, id, recorded_at FROM new_rows WHERE charge_id IS NOT NULL;
  INSERT INTO credit (account_id, reference, credited_nano_usd, entry_id, recorded_at)
    SELECT account_id, reference, amount_nano_usd, id, recorded_at
    FROM new_rows WHERE kind = 'top_up';
  INSERT INTO adjustment (account_id, reference, amount_nano_usd, entry_id, recorded_at)
    SELECT account_id, reference, amount_nano_usd, id, recorded_at
    FROM new_rows WHERE kind = 'adjustment';
  FOR change IN
    SELECT account_id, sum(amount_nano_usd)::bigint AS amount
    FROM new_rows WHERE amount_nano_usd <> 0 GROUP BY account_id ORDER BY account_id
  LOOP
    UPDATE wallet SET balance_nano_usd = balance_nano_usd + change.amount
      WHERE account_id = change.account_id RETURNING has_limits INTO is_limited;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'an entry needs a wallet: account % has none', change.account_id;
    ELSIF is_limited THEN
      limited := array_append(limited, change.account_id);
    END IF;
  END LOOP;
  IF limited <> '{}' THEN
    PERFORM add_spent(array_agg(owner_id), account_id, array_agg(charged), max(recorded_at))
      FROM (
        SELECT account_id, owner_id, -sum(amount_nano_usd)::bigint AS charged,
          max(recorded_at) AS recorded_at
        FROM new_rows, LATERAL (VALUES (account_id), (key_id),
            (end_user_owner_id(key_id, end_user))) AS of (owner_id)
        WHERE kind = 'usage' AND account_id = ANY (limited) GROUP BY account_id, owner_id
      ) sums
      GROUP BY account_id;
  END IF;
  INSERT INTO conversation_spend AS spent (conversation_id, account_id, entries, charged_nano_usd)
    SELECT conversation_id, account_id, count(*), -sum(amount_nano_usd)
    FROM new_rows WHERE conversation_id IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (conversation_id, account_id) DO UPDATE SET
      entries = spent.entries + excluded.entries,
      charged_nano_usd = spent.charged_nano_usd + excluded.charged_nano_usd;
  RETURN NULL;
END $$;
