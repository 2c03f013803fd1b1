-- Returns what a capture of each event takes and releases, without the events that have an entry
-- already and without repetitions of an event. `owners` are the end users, keys and accounts that
-- have limits.
--
-- A request has one failure at most: the event of its loss (`lost_` before its id) is left out
-- where its own event has an entry, and its own failure where its loss has one. Its usage is
-- charged although its loss was recorded: its provider served it.
--
-- A query that becomes a part of the caller's: see capture_usage.
CREATE OR REPLACE FUNCTION read_captures(events usage_event[], owners text[])
RETURNS SETOF capture LANGUAGE sql STABLE AS $$
  SELECT event.position, event.account_id, event.key_id, event.end_user,
    array_position(owners, end_user_owner_id(event.key_id, event.end_user)) AS user_at,
    array_position(owners, event.key_id) AS key_at,
    array_position(owners, event.account_id) AS account_at,
    event.cost, event.charge_limit, event.charge_id,
    event.charge_id IS NOT NULL AND (
      SELECT c.charge_id FROM charge c WHERE c.charge_id = event.charge_id
    ) IS NOT NULL AS is_repeated,
    event.tokens, own.id AS own_hold_id,
    -- Only the first event of a hold captures it.
    CASE row_number() OVER (PARTITION BY own.id ORDER BY event.position)
      WHEN 1 THEN own.amount_nano_usd
    END AS own_amount,
    own.key_id = event.key_id AS own_is_of_key,
    own.key_id = event.key_id AND own.end_user = event.end_user AS own_is_of_user,
    own.created_at AS own_at, own.tokens AS own_tokens,
    shared.id AS shared_hold_id,
    -- A shared hold that has less than its parts gives what it has, to the first of them. One
    -- that has expired gives nothing.
    CASE WHEN shared.id IS NULL THEN 0 ELSE greatest(0, least(event.shared_amount,
      shared.amount_nano_usd + event.shared_amount
        - sum(event.shared_amount) OVER (PARTITION BY shared.id ORDER BY event.position)
    ))::bigint END AS shared_amount,
    shared.key_id = event.key_id AS shared_is_of_key,
    shared.key_id = event.key_id AND shared.end_user = event.end_user AS shared_is_of_user,
    shared.created_at AS shared_at,
    event.shared_tokens, event.shared_in_progress
  FROM (
    SELECT DISTINCT ON (event_id)
      event_id, kind, account_id, key_id, end_user, hold_id, shared_hold_id, shared_amount,
      shared_tokens,
      shared_in_progress, charge_id, cost, charge_limit, ordinality::int AS position,
      CASE unit_type WHEN 'tokens' THEN least(quantity, 1000000000000000) ELSE 0 END AS tokens
    FROM unnest(events) WITH ORDINALITY
    ORDER BY event_id, ordinality
  ) event
  LEFT JOIN LATERAL (
    SELECT id, amount_nano_usd, key_id, end_user, created_at, tokens FROM hold
    WHERE id = event.hold_id AND account_id = event.account_id LIMIT 1
  ) own ON true
  LEFT JOIN LATERAL (
    SELECT id, amount_nano_usd, key_id, end_user, created_at FROM hold
    WHERE id = event.shared_hold_id AND account_id = event.account_id LIMIT 1
  ) shared ON true
  WHERE (SELECT r.event_id FROM recorded_event r WHERE r.event_id = event.event_id) IS NULL
    AND CASE WHEN event.kind = 'failure' THEN (
      SELECT r.event_id FROM recorded_event r WHERE r.event_id = CASE
        WHEN starts_with(event.event_id, 'lost_') THEN substr(event.event_id, 6)
        ELSE 'lost_' || event.event_id
      END
    ) IS NULL ELSE true END
$$;
