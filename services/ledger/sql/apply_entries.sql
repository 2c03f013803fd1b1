-- Trigger function of `entry`, after each INSERT statement: applies the new entries to the tables
-- that follow from them. It is the only writer of these tables, and of a wallet's balance.
--   wallet          balance_nano_usd += amount_nano_usd; an amount without a wallet is an error
--   recorded_event  one row per entry; a second entry of an event is a unique violation
--   charge          one row per entry with a charge id; a second one is a unique violation
--   spend_hour      the account's charges in the hour (UTC) of recorded_at
-- Locks: the statement that inserts has locked the wallets. They are updated in order of account
-- id.
CREATE OR REPLACE FUNCTION apply_entries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change record;
BEGIN
  INSERT INTO recorded_event (event_id) SELECT event_id FROM new_rows;
  INSERT INTO charge (charge_id, charged_nano_usd)
    SELECT charge_id, -amount_nano_usd FROM new_rows WHERE charge_id IS NOT NULL;
  FOR change IN
    SELECT account_id, sum(amount_nano_usd)::bigint AS amount
    FROM new_rows WHERE amount_nano_usd <> 0 GROUP BY account_id ORDER BY account_id
  LOOP
    UPDATE wallet SET balance_nano_usd = balance_nano_usd + change.amount
      WHERE account_id = change.account_id;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'an entry needs a wallet: account % has none', change.account_id;
    END IF;
  END LOOP;
  INSERT INTO spend_hour AS spent (account_id, hour, charged_nano_usd)
    SELECT account_id, date_trunc('hour', recorded_at, 'UTC'), -sum(amount_nano_usd)
    FROM new_rows WHERE kind = 'usage' AND amount_nano_usd <> 0 GROUP BY 1, 2
    ON CONFLICT (account_id, hour) DO UPDATE SET
      charged_nano_usd = spent.charged_nano_usd + excluded.charged_nano_usd;
  RETURN NULL;
END $$;
