-- Captures usage events, in their order and each exactly once: releases their holds, charges their
-- costs and writes their entries. Amounts are nano-USD.
--
-- What a charge does to a wallet:
--   1. The event's own hold is released, and its part of a shared hold is taken out of that hold.
--   2. The charge is min(cost, charge_limit, available), where available is balance - held after
--      step 1, and charge_limit is the cost in the client's response. Money that other requests
--      hold is never touched.
--   3. Where the key or its account has a budget, the charge is at most what is left of it after step
--      1, but at least what was released: a budget that was lowered since leaves that for the request.
--   4. held_nano_usd decreases by what was released, and balance_nano_usd by the charge. The entry
--      records the charge, and the rest of the cost as uncollected.
--
-- What the event used of a limit of tokens replaces what its hold had counted, in the same second.
--
-- An event that has an entry already changes nothing. An event whose charge id was charged before
-- costs nothing, and its entry refers to that charge id. A conversation that is deleted by now is
-- not linked.
--
-- The lines of the events, the providers' usage blocks, and the trails of the requests, NULL where
-- there is none, are in arrays of their own: within a row within an array, all their quotes are escaped
-- twice.
--
-- Returns the total amount that the events leave uncollected.
--
-- Locks: the wallets first, in order of account id, as every function here does. What is read after
-- the lock is what every other writer of these wallets has committed.
--
-- A replica's connection keeps a plan for long, and may have made it while the tables were nearly
-- empty. Rows are therefore looked up by key, in loops, arrays and LATERAL ... LIMIT 1, which no
-- plan turns into a scan. Plans are generic (plan_cache_mode): Postgres does not plan a statement again
-- for each call.
-- A wallet that is locked for longer than 100 ms fails the call: see src/wallet-locks.ts.
CREATE OR REPLACE FUNCTION capture_usage(
  events usage_event[], lines_of json[], provider_usages text[], trails json[]
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
  token_parts bigint[] := '{}';
  slot_parts bigint[] := '{}';
  charge_ids text[] := '{}';
  -- What was decided, by the events' positions; NULL for events that have an entry already.
  costs bigint[] := array_fill(NULL::bigint, ARRAY[cardinality(events)]);
  charges bigint[] := costs;
  repeated boolean[] := array_fill(NULL::boolean, ARRAY[cardinality(events)]);
  uncollected bigint := 0;
  -- What is left of limits by owner, where there are any.
  limited text[];
  owners text[] := '{}';
  budgets bigint[] := '{}';
  key_at integer;
  account_at integer;
  uses token_settlement[] := '{}';
  affordable bigint;
  released bigint;
  key_released bigint;
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true),
    set_config('plan_cache_mode', 'force_generic_plan', true);
  -- FILTER, since a WHERE of has_limits would lock only those wallets.
  SELECT array_agg(account_id) FILTER (WHERE has_limits) INTO limited FROM (
    SELECT account_id, has_limits FROM wallet
    WHERE account_id = ANY (ARRAY(SELECT event.account_id FROM unnest(events) AS event))
    ORDER BY account_id FOR UPDATE
  ) locked;
  IF limited IS NOT NULL THEN
    -- If the period has ended since the last charge, nothing is spent in the new one.
    SELECT coalesce(array_agg(owner_id), '{}'), coalesce(array_agg(
        budget_nano_usd - held_nano_usd - CASE
          WHEN find_period_start(budget_period, now()) > period_start THEN 0
          ELSE spent_nano_usd END
      ), '{}')
      INTO owners, budgets FROM usage_limit
      WHERE owner_id = ANY (
        limited || ARRAY(SELECT DISTINCT event.key_id FROM unnest(events) AS event));
  END IF;

  -- Decides each event's charge, wallet by wallet.
  FOR usage IN
    SELECT event.*,
      -- Only the first event of a hold captures it.
      CASE row_number() OVER (PARTITION BY own.id ORDER BY event.position)
        WHEN 1 THEN own.amount_nano_usd
      END AS own_hold,
      own.key_id AS own_key, own.created_at AS own_at, own.tokens AS own_tokens,
      -- A shared hold that has less than its parts gives what it has, to the first of them. One
      -- that has expired gives nothing.
      CASE WHEN shared.id IS NULL THEN 0 ELSE greatest(0, least(event.shared_amount,
        shared.amount_nano_usd + event.shared_amount
          - sum(event.shared_amount) OVER (PARTITION BY shared.id ORDER BY event.position)
      ))::bigint END AS shared_part,
      shared.id AS shared_id, shared.key_id AS shared_key, shared.created_at AS shared_at
    FROM (
      SELECT DISTINCT ON (event_id)
        event_id, account_id, key_id, hold_id, shared_hold_id, shared_amount, shared_tokens,
        shared_in_progress, charge_id, cost, charge_limit, ordinality::int AS position,
        CASE unit_type WHEN 'tokens' THEN least(quantity, 1000000000000000) ELSE 0 END AS tokens
      FROM unnest(events) WITH ORDINALITY
      ORDER BY event_id, ordinality
    ) event
    LEFT JOIN LATERAL (
      SELECT id, amount_nano_usd, key_id, created_at, tokens FROM hold
      WHERE id = event.hold_id AND account_id = event.account_id LIMIT 1
    ) own ON true
    LEFT JOIN LATERAL (
      SELECT id, amount_nano_usd, key_id, created_at FROM hold
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
    released := coalesce(usage.own_hold, 0) + usage.shared_part;
    available := available + released;
    IF usage.own_hold IS NOT NULL THEN
      captured_hold_ids := array_append(captured_hold_ids, usage.hold_id);
    END IF;
    IF greatest(usage.shared_part, usage.shared_tokens, usage.shared_in_progress) > 0
      AND usage.shared_id IS NOT NULL
    THEN
      shared_hold_ids := array_append(shared_hold_ids, usage.shared_hold_id);
      shared_parts := array_append(shared_parts, usage.shared_part);
      token_parts := array_append(token_parts, usage.shared_tokens);
      slot_parts := array_append(slot_parts, usage.shared_in_progress);
    END IF;
    charged := least(due, usage.charge_limit, available);
    IF owners <> '{}' THEN
      key_at := array_position(owners, usage.key_id);
      account_at := array_position(owners, usage.account_id);
      key_released := CASE usage.own_key WHEN usage.key_id THEN usage.own_hold ELSE 0 END
        + CASE usage.shared_key WHEN usage.key_id THEN usage.shared_part ELSE 0 END;
      affordable := least(budgets[key_at] + key_released, budgets[account_at] + released);
      charged := least(charged,
        CASE WHEN affordable IS NOT NULL THEN greatest(released, affordable) END);
      IF key_at IS NOT NULL THEN
        budgets[key_at] := budgets[key_at] + key_released - charged;
      END IF;
      IF account_at IS NOT NULL THEN
        budgets[account_at] := budgets[account_at] + released - charged;
      END IF;
      IF usage.own_hold IS NOT NULL THEN
        uses := array_append(uses, (usage.account_id, usage.key_id, usage.own_key, usage.own_at,
          usage.own_tokens, usage.tokens)::token_settlement);
      END IF;
      IF usage.shared_id IS NOT NULL THEN
        uses := array_append(uses, (usage.account_id, usage.key_id, usage.shared_key,
          usage.shared_at, usage.shared_tokens,
          CASE WHEN usage.own_hold IS NULL THEN usage.tokens ELSE 0 END)::token_settlement);
      END IF;
    END IF;
    available := available - charged;
    uncollected := uncollected + due - charged;
    costs[usage.position] := due;
    charges[usage.position] := charged;
    repeated[usage.position] := is_repeated;
  END LOOP;

  IF uses <> '{}' THEN
    PERFORM settle_tokens(uses);
  END IF;

  -- Releases the holds. The trigger of `hold` subtracts them from the wallets' held_nano_usd, and
  -- from those of limits (apply_holds). A shared hold stays while requests may take more of it.
  IF captured_hold_ids <> '{}' THEN
    DELETE FROM hold WHERE id = ANY (captured_hold_ids);
  END IF;
  FOR part IN
    SELECT id, sum(amount)::bigint AS amount, sum(tokens)::bigint AS tokens,
      sum(slots)::bigint AS slots
    FROM unnest(shared_hold_ids, shared_parts, token_parts, slot_parts)
      AS taken (id, amount, tokens, slots)
    GROUP BY id ORDER BY id
  LOOP
    PERFORM reduce_hold(part.id, part.amount, 0, part.tokens, part.slots);
  END LOOP;

  -- Writes the entries. The trigger of `entry` subtracts the charges from the wallets'
  -- balance_nano_usd, and records the events, the charge ids and the hours' spend (apply_entries).
  INSERT INTO entry (
    id, event_id, account_id, key_id, kind, amount_nano_usd, cost_nano_usd, uncollected_nano_usd,
    request_id, route_type, alias, provider, upstream_model, unit_type, quantity, basis,
    corpus_size, prompt_tokens, completion_tokens, cached_prompt_tokens, conversation_id,
    charge_id, reference, occurred_at, lines, provider_usage)
  SELECT
    id, event_id, account_id, key_id, kind, -charge, billed, billed - charge,
    request_id, route_type, alias, provider, upstream_model, unit_type, quantity, basis,
    corpus_size, prompt_tokens, completion_tokens, cached_prompt_tokens,
    CASE
      WHEN conversation_id IS NULL OR EXISTS (
        SELECT FROM deleted_conversation d WHERE d.conversation_id = event.conversation_id)
      THEN NULL ELSE conversation_id
    END,
    CASE WHEN is_repeat THEN NULL ELSE charge_id END,
    CASE WHEN is_repeat THEN charge_id ELSE '' END,
    occurred_at, lines, provider_usage
  FROM unnest(costs, charges, repeated, lines_of, provider_usages, events)
    AS event (billed, charge, is_repeat, lines, provider_usage)
  WHERE charge IS NOT NULL;
  INSERT INTO request_trail (entry_id, recorded_at, trail, error_code, account_id)
    SELECT id, now(), trail, error_code, CASE WHEN error_code IS NOT NULL THEN account_id END
    FROM unnest(charges, trails, events) AS event (charge, trail)
    WHERE charge IS NOT NULL AND trail IS NOT NULL;
  RETURN uncollected;
END $$;
