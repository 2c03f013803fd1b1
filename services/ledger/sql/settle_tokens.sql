-- Replaces, in the minutes of the events' keys and accounts, the tokens that their holds had counted
-- by those that they used, in the second in which they were counted. Only the first event of a hold
-- settles it. An event whose hold has expired changes nothing.
-- Locks: the caller has locked the wallets.
CREATE OR REPLACE FUNCTION settle_tokens(events usage_row[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  part record;
BEGIN
  FOR part IN
    SELECT owner_id, e.account_id, max(h.at) AS at,
      sum(h.used - CASE WHEN owner_id IN (e.account_id, h.key_id) THEN h.counted ELSE 0 END) AS more
    FROM (
      SELECT account_id, key_id, hold_id, shared_hold_id, shared_tokens,
        CASE unit_type WHEN 'tokens' THEN least(quantity, 1000000000000000) ELSE 0 END AS used,
        row_number() OVER (PARTITION BY hold_id ORDER BY ordinality) AS nth
      FROM unnest(events) WITH ORDINALITY
    ) e
    LEFT JOIN LATERAL (
      SELECT key_id, tokens, created_at FROM hold
      WHERE id = e.hold_id AND account_id = e.account_id AND e.nth = 1 LIMIT 1
    ) own ON true
    LEFT JOIN LATERAL (
      SELECT key_id, created_at FROM hold
      WHERE id = e.shared_hold_id AND account_id = e.account_id LIMIT 1
    ) shared ON true,
    LATERAL (VALUES
      (own.key_id, own.created_at, own.tokens, e.used),
      (shared.key_id, shared.created_at, e.shared_tokens,
        CASE WHEN own.created_at IS NULL THEN e.used ELSE 0 END)
    ) AS h (key_id, at, counted, used),
    LATERAL (VALUES (e.account_id), (e.key_id)) AS of (owner_id)
    WHERE h.at IS NOT NULL GROUP BY owner_id, e.account_id, date_trunc('second', h.at)
  LOOP
    PERFORM count_use(part.owner_id, part.account_id, part.at, 0, part.more::bigint);
  END LOOP;
END $$;
