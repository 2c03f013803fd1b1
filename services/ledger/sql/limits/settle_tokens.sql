-- Replaces, in the minutes of the keys and accounts, the tokens that holds had counted by those that
-- events used, in the second in which they were counted. `settlements` has one for each hold that an
-- event uses.
-- Locks: the caller has locked the wallets.
CREATE OR REPLACE FUNCTION settle_tokens(settlements token_settlement[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  part record;
BEGIN
  FOR part IN
    SELECT account_id, max(held_at) AS at, array_agg(owner_id) AS owners,
      array_agg(0::bigint) AS requests, array_agg(more) AS tokens
    FROM (
      SELECT owner_id, account_id, max(held_at) AS held_at,
        sum(used - CASE WHEN owner_id IN (account_id, hold_key_id) THEN counted ELSE 0 END)::bigint
          AS more
      FROM unnest(settlements), LATERAL (VALUES (account_id), (key_id)) AS of (owner_id)
      GROUP BY owner_id, account_id, date_trunc('second', held_at)
    ) sums
    WHERE more <> 0 GROUP BY account_id, date_trunc('second', held_at)
  LOOP
    PERFORM count_in_minute(part.owners, part.account_id, part.at, part.requests, part.tokens);
  END LOOP;
END $$;
