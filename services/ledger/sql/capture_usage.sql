-- Captures usage events, in their order and each exactly once: releases their holds, charges their
-- costs and writes their entries. Amounts are nano-USD.
--
-- What a charge does to a wallet:
--   1. The event's own hold is released, and its part of a shared hold is taken out of that hold.
--   2. The charge is min(cost, charge_limit, available), where available is balance - held after
--      step 1, and charge_limit is the cost in the client's response. Money that other requests
--      hold is never touched.
--   3. held_nano_usd decreases by what was released, and balance_nano_usd by the charge. The entry
--      records the charge, and the rest of the cost as uncollected.
--
-- An event that has an entry already changes nothing. An event whose charge id was charged before
-- costs nothing, and its entry refers to that charge id. A conversation that is deleted by now is
-- not linked.
--
-- The lines of the events, and the providers' usage blocks, are in arrays of their own: within a row
-- within an array, all their quotes are escaped twice.
--
-- Returns the total amount that the events leave uncollected.
--
-- Locks: the wallets first, in order of account id, as every function here does. What is read after
-- the lock is what every other writer of these wallets has committed.
--
-- A replica's connection keeps a plan for long, and may have made it while the tables were nearly
-- empty. Rows are therefore looked up by key, in loops, arrays and LATERAL ... LIMIT 1, which no
-- plan turns into a scan.
-- A wallet that is locked for longer than 100 ms fails the call: see src/wallet-locks.ts.
CREATE OR REPLACE FUNCTION capture_usage(
  events usage_row[], lines_of json[], provider_usages text[]
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  usage record;
  part record;
  owner text;
  available bigint;
  due bigint;
  charged bigint;
  is_repeated boolean;
  captured_hold_ids text[] := '{}';
  shared_hold_ids text[] := '{}';
  shared_parts bigint[] := '{}';
  charge_ids text[] := '{}';
  -- What was decided, by the events' positions; NULL for events that have an entry already.
  costs bigint[] := '{}';
  charges bigint[] := '{}';
  repeated boolean[] := '{}';
  uncollected bigint := 0;
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true);
  PERFORM FROM wallet
    WHERE account_id = ANY (ARRAY(SELECT event.account_id FROM unnest(events) AS event))
    ORDER BY account_id FOR UPDATE;

  -- Decides each event's charge, wallet by wallet.
  FOR usage IN
    SELECT event.*,
      -- Only the first event of a hold captures it.
      CASE row_number() OVER (PARTITION BY own.id ORDER BY event.position)
        WHEN 1 THEN coalesce(own.amount_nano_usd, 0) ELSE 0
      END AS own_hold,
      -- A shared hold that has less than its parts gives what it has, to the first of them. One
      -- that has expired gives nothing.
      CASE WHEN shared.id IS NULL THEN 0 ELSE greatest(0, least(event.shared_amount,
        shared.amount_nano_usd + event.shared_amount
          - sum(event.shared_amount) OVER (PARTITION BY shared.id ORDER BY event.position)
      ))::bigint END AS shared_part
    FROM (
      SELECT DISTINCT ON (event_id)
        event_id, account_id, hold_id, shared_hold_id, shared_amount, charge_id, cost, charge_limit,
        ordinality::int AS position
      FROM unnest(events) WITH ORDINALITY
      ORDER BY event_id, ordinality
    ) event
    LEFT JOIN LATERAL (
      SELECT id, amount_nano_usd FROM hold
      WHERE id = event.hold_id AND account_id = event.account_id LIMIT 1
    ) own ON true
    LEFT JOIN LATERAL (
      SELECT id, amount_nano_usd FROM hold
      WHERE id = event.shared_hold_id AND account_id = event.account_id LIMIT 1
    ) shared ON true
    WHERE (SELECT r.event_id FROM recorded_event r WHERE r.event_id = event.event_id) IS NULL
    ORDER BY event.account_id, event.position
  LOOP
    IF owner IS DISTINCT FROM usage.account_id THEN
      owner := usage.account_id;
      available := coalesce(
        (SELECT balance_nano_usd - held_nano_usd FROM wallet WHERE account_id = owner), 0);
    END IF;
    due := usage.cost;
    is_repeated := false;
    IF usage.charge_id IS NOT NULL THEN
      is_repeated := usage.charge_id = ANY (charge_ids)
        OR EXISTS (SELECT FROM charge c WHERE c.charge_id = usage.charge_id);
      charge_ids := array_append(charge_ids, usage.charge_id);
      due := CASE WHEN is_repeated THEN 0 ELSE usage.cost END;
    END IF;
    IF usage.own_hold > 0 THEN
      available := available + usage.own_hold;
      captured_hold_ids := array_append(captured_hold_ids, usage.hold_id);
    END IF;
    IF usage.shared_part > 0 THEN
      available := available + usage.shared_part;
      shared_hold_ids := array_append(shared_hold_ids, usage.shared_hold_id);
      shared_parts := array_append(shared_parts, usage.shared_part);
    END IF;
    charged := least(due, usage.charge_limit, available);
    available := available - charged;
    uncollected := uncollected + due - charged;
    costs[usage.position] := due;
    charges[usage.position] := charged;
    repeated[usage.position] := is_repeated;
  END LOOP;

  -- Releases the holds. The trigger of `hold` subtracts them from the wallets' held_nano_usd
  -- (apply_holds).
  IF captured_hold_ids <> '{}' THEN
    DELETE FROM hold WHERE id = ANY (captured_hold_ids);
  END IF;
  FOR part IN
    SELECT id, sum(amount)::bigint AS amount
    FROM unnest(shared_hold_ids, shared_parts) AS taken (id, amount)
    GROUP BY id ORDER BY id
  LOOP
    UPDATE hold SET amount_nano_usd = amount_nano_usd - part.amount
      WHERE id = part.id AND amount_nano_usd > part.amount;
    IF NOT FOUND THEN
      DELETE FROM hold WHERE id = part.id;
    END IF;
  END LOOP;

  -- Writes the entries. The trigger of `entry` subtracts the charges from the wallets'
  -- balance_nano_usd, and records the events, the charge ids and the hours' spend (apply_entries).
  INSERT INTO entry (
    id, event_id, account_id, key_id, kind, amount_nano_usd, cost_nano_usd, uncollected_nano_usd,
    request_id, route_type, alias, provider, upstream_model, unit_type, quantity, basis,
    corpus_size, prompt_tokens, completion_tokens, cached_prompt_tokens, conversation_id,
    charge_id, reference, occurred_at, lines, provider_usage)
  SELECT
    id, event_id, account_id, key_id, kind, -charges[position], costs[position],
    costs[position] - charges[position],
    request_id, route_type, alias, provider, upstream_model, unit_type, quantity, basis,
    corpus_size, prompt_tokens, completion_tokens, cached_prompt_tokens,
    CASE
      WHEN conversation_id IS NULL OR EXISTS (
        SELECT FROM deleted_conversation d WHERE d.conversation_id = event.conversation_id)
      THEN NULL ELSE conversation_id
    END,
    CASE WHEN repeated[position] THEN NULL ELSE charge_id END,
    CASE WHEN repeated[position] THEN charge_id ELSE '' END,
    occurred_at, lines_of[position], provider_usages[position]
  FROM unnest(events) WITH ORDINALITY AS event, LATERAL (SELECT ordinality::int AS position) at
  WHERE charges[position] IS NOT NULL;
  RETURN uncollected;
END $$;
