-- Writes the entries of requests that were lost and are due, of up to 1,000 wallets: of kind
-- `failure`, so that they cost nothing. A request whose usage event was recorded meanwhile, or that
-- has a hold again, gets none. The event of a lost request has an id of its own: usage that arrives
-- even later is charged (read_captures). Every replica may call it at the same time.
-- Returns how many it wrote.
-- Locks: the wallets first, in order of account id, as a capture does. A wallet that is locked is
-- left to a later call.
CREATE OR REPLACE FUNCTION record_lost_requests() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  owners text[];
  written integer;
BEGIN
  owners := ARRAY(SELECT DISTINCT account_id FROM lost_request WHERE due_at < now() LIMIT 1000);
  IF owners = '{}' THEN
    RETURN 0;
  END IF;
  owners := ARRAY(SELECT account_id FROM wallet WHERE account_id = ANY (owners)
    ORDER BY account_id FOR UPDATE SKIP LOCKED);
  WITH due AS (
    DELETE FROM lost_request WHERE account_id = ANY (owners) AND due_at < now() RETURNING *
  ), entries AS (
    INSERT INTO entry (
      id, event_id, account_id, key_id, end_user, kind, amount_nano_usd, cost_nano_usd,
      uncollected_nano_usd, request_id, route_type, alias, provider, upstream_model, unit_type,
      quantity, basis,
      prompt_tokens, completion_tokens, cached_prompt_tokens, reference, occurred_at)
    SELECT
      'entry_' || substr(id, 5) || '_lost', 'lost_' || id, account_id, key_id, end_user, 'failure',
      0, 0, 0,
      id, route_type, alias, '', '', unit_type, 0, 'none', 0, 0, 0, '', begun_at
    FROM due
    WHERE NOT EXISTS (SELECT FROM hold h WHERE h.id = due.id)
      AND NOT EXISTS (
        SELECT FROM recorded_event r WHERE r.event_id IN (due.id, 'lost_' || due.id))
    RETURNING id
  )
  SELECT count(*) INTO written FROM entries;
  RETURN written;
END $$;
