-- Replaces, in the minutes of the keys and accounts, the tokens that holds had counted by those that
-- events used, in the second in which they were counted. `uses` has each hold that an event uses.
-- Locks: the caller has locked the wallets.
CREATE OR REPLACE FUNCTION settle_tokens(uses token_use[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  part record;
BEGIN
  FOR part IN
    SELECT owner_id, account_id, max(held_at) AS at,
      sum(used - CASE WHEN owner_id IN (account_id, hold_key_id) THEN counted ELSE 0 END) AS more
    FROM unnest(uses), LATERAL (VALUES (account_id), (key_id)) AS of (owner_id)
    GROUP BY owner_id, account_id, date_trunc('second', held_at)
  LOOP
    IF part.more <> 0 THEN
      PERFORM count_use(part.owner_id, part.account_id, part.at, 0, part.more::bigint);
    END IF;
  END LOOP;
END $$;
