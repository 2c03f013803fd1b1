-- Replaces, in the minutes of the end users, keys and accounts, the tokens that the holds of
-- captures had counted by those that the captures use, in the second in which they were counted. A
-- hold counts for the account, and for the key and the end user whose limits it is of.
-- Locks: the caller has locked the wallets.
CREATE OR REPLACE FUNCTION settle_tokens(captures capture[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  part record;
BEGIN
  FOR part IN
    SELECT account_id, max(held_at) AS at, array_agg(owner_id) AS owners,
      array_agg(0::bigint) AS requests, array_agg(more) AS tokens
    FROM (
      SELECT owner_id, account_id, max(held_at) AS held_at,
        sum(used - CASE WHEN counts THEN counted ELSE 0 END)::bigint AS more
      FROM unnest(captures),
        -- A capture of both an own and a shared hold uses its tokens of its own.
        LATERAL (VALUES
          (own_amount, own_is_of_key, own_is_of_user, own_at, own_tokens, tokens),
          (shared_amount, shared_is_of_key, shared_is_of_user, shared_at, shared_tokens,
            CASE WHEN own_amount IS NULL THEN tokens ELSE 0 END)
        ) AS hold (amount, is_of_key, is_of_user, held_at, counted, used),
        LATERAL (VALUES (account_id, true), (key_id, is_of_key),
          (end_user_owner_id(key_id, end_user), is_of_user)) AS of (owner_id, counts)
      WHERE amount IS NOT NULL AND held_at IS NOT NULL
      GROUP BY owner_id, account_id, date_trunc('second', held_at)
    ) sums
    WHERE more <> 0 GROUP BY account_id, date_trunc('second', held_at)
  LOOP
    PERFORM count_in_minute(part.owners, part.account_id, part.at, part.requests, part.tokens);
  END LOOP;
END $$;
