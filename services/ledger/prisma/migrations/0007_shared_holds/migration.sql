-- A hold that many requests share: a service takes one for an account that keeps it busy, and sets
-- money of it aside for each request by itself. What a request spent leaves it with the request's
-- usage event; what none of them uses is given back.

-- True for as long as requests may enter it.
ALTER TABLE hold ADD COLUMN is_shared boolean NOT NULL DEFAULT false;
CREATE INDEX hold_shared ON hold (account_id) WHERE is_shared;

-- Takes one, all of it or nothing: all that lies in a wallet's shared holds, of all services, is one
-- part in so many of what is not held otherwise, so that hardly anybody is refused for what lies
-- unused in them.
CREATE FUNCTION share_hold(hold_id text, owner text, amount bigint, parts bigint, hold_ms bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  free bigint;
  shared bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT balance_nano_usd - held_nano_usd INTO free
    FROM wallet WHERE account_id = owner FOR UPDATE;
  SELECT coalesce(sum(amount_nano_usd), 0) INTO shared
    FROM hold WHERE account_id = owner AND is_shared;
  IF free IS NULL OR shared + amount > (shared + free) / parts THEN
    RETURN false;
  END IF;
  INSERT INTO hold (id, account_id, amount_nano_usd, expires_at, is_shared)
  VALUES (hold_id, owner, amount, now() + hold_ms * interval '1 millisecond', true);
  RETURN true;
END $$;

-- Takes so much out of a hold, and ends one that has no more. The caller has locked its wallet.
CREATE FUNCTION reduce_hold(hold_id text, amount bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE hold SET amount_nano_usd = amount_nano_usd - amount
    WHERE id = hold_id AND amount_nano_usd > amount;
  IF NOT FOUND THEN
    DELETE FROM hold WHERE id = hold_id;
  END IF;
END $$;

-- Gives back what of a shared hold no request uses. Once: nobody enters it any more.
CREATE FUNCTION give_back(hold_id text, owner text, amount bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM FROM wallet WHERE account_id = owner FOR UPDATE;
  UPDATE hold SET is_shared = false WHERE id = hold_id AND account_id = owner AND is_shared;
  IF FOUND THEN
    PERFORM reduce_hold(hold_id, amount);
  END IF;
END $$;

-- Moves the end of live holds; a hold that is gone already stays gone. A shared one changes all the
-- time, so this waits for its turn as all else does: by the wallet.
CREATE FUNCTION extend_holds(hold_ids text[], hold_ms bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM wallet
    WHERE account_id = ANY (ARRAY(SELECT account_id FROM hold WHERE id = ANY (hold_ids)))
    ORDER BY account_id FOR UPDATE;
  UPDATE hold SET expires_at = now() + hold_ms * interval '1 millisecond'
    WHERE id = ANY (hold_ids);
END $$;

-- A usage event as `capture_usage` takes it now: with its part of a shared hold. Replicas write its
-- fields by their order.
CREATE TYPE usage_row AS (
  id                   text,
  event_id             text,
  account_id           text,
  key_id               text,
  hold_id              text,
  shared_hold_id       text,
  shared_amount        bigint,
  kind                 text,
  cost                 bigint,
  charge_limit         bigint,
  charge_id            text,
  request_id           text,
  route_type           text,
  alias                text,
  provider             text,
  upstream_model       text,
  unit_type            text,
  quantity             bigint,
  basis                text,
  corpus_size          bigint,
  prompt_tokens        bigint,
  completion_tokens    bigint,
  cached_prompt_tokens bigint,
  conversation_id      text,
  occurred_at          timestamptz
);

-- Captures usage events, in their order, each exactly once. A charge is the cost, but no more than
-- the client was told, and no more than the event's own hold, its part of a shared one, and what is
-- free besides: money that other requests hold is never touched. A usage whose charge id was charged
-- before costs nothing, and its entry refers to that id. A conversation that is deleted by now is not
-- linked to. Wallets are locked first and by id, as everywhere; what is read after the lock is what
-- every other writer of these wallets has committed.
-- Answers what of their cost stays uncollected, all together.
CREATE FUNCTION capture_usage(events usage_row[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  e record;
  share record;
  owner text;
  free bigint;
  due bigint;
  paid bigint;
  repeats boolean;
  settled text[] := '{}';
  shared_ids text[] := '{}';
  shares bigint[] := '{}';
  charge_ids text[] := '{}';
  -- What was decided, by the events' places; nothing for those that the ledger has.
  dues bigint[] := '{}';
  charges bigint[] := '{}';
  repetitions boolean[] := '{}';
  uncollected bigint := 0;
BEGIN
  PERFORM FROM wallet
    WHERE account_id = ANY (ARRAY(SELECT event.account_id FROM unnest(events) AS event))
    ORDER BY account_id FOR UPDATE;
  FOR e IN
    SELECT given.*,
      CASE row_number() OVER (PARTITION BY h.id ORDER BY given.place)
        WHEN 1 THEN coalesce(h.amount_nano_usd, 0) ELSE 0
      END AS own_hold,
      -- A shared hold that has expired, or has less, gives what it has, to the first of them.
      CASE WHEN s.id IS NULL THEN 0 ELSE greatest(0, least(given.shared_amount,
        s.amount_nano_usd + given.shared_amount
          - sum(given.shared_amount) OVER (PARTITION BY s.id ORDER BY given.place)
      ))::bigint END AS own_share
    FROM (
      SELECT DISTINCT ON (event_id)
        event_id, account_id, hold_id, shared_hold_id, shared_amount, charge_id, cost, charge_limit,
        ordinality::int AS place
      FROM unnest(events) WITH ORDINALITY
      ORDER BY event_id, ordinality
    ) given
    LEFT JOIN LATERAL (
      SELECT id, amount_nano_usd FROM hold
      WHERE id = given.hold_id AND account_id = given.account_id LIMIT 1
    ) h ON true
    LEFT JOIN LATERAL (
      SELECT id, amount_nano_usd FROM hold
      WHERE id = given.shared_hold_id AND account_id = given.account_id LIMIT 1
    ) s ON true
    WHERE (SELECT r.event_id FROM recorded_event r WHERE r.event_id = given.event_id) IS NULL
    ORDER BY given.account_id, given.place
  LOOP
    IF owner IS DISTINCT FROM e.account_id THEN
      owner := e.account_id;
      free := coalesce(
        (SELECT balance_nano_usd - held_nano_usd FROM wallet WHERE account_id = owner), 0);
    END IF;
    due := e.cost;
    repeats := false;
    IF e.charge_id IS NOT NULL THEN
      repeats := e.charge_id = ANY (charge_ids)
        OR EXISTS (SELECT FROM charge c WHERE c.charge_id = e.charge_id);
      charge_ids := array_append(charge_ids, e.charge_id);
      due := CASE WHEN repeats THEN 0 ELSE e.cost END;
    END IF;
    IF e.own_hold > 0 THEN
      free := free + e.own_hold;
      settled := array_append(settled, e.hold_id);
    END IF;
    IF e.own_share > 0 THEN
      free := free + e.own_share;
      shared_ids := array_append(shared_ids, e.shared_hold_id);
      shares := array_append(shares, e.own_share);
    END IF;
    paid := least(due, e.charge_limit, free);
    free := free - paid;
    uncollected := uncollected + due - paid;
    dues[e.place] := due;
    charges[e.place] := paid;
    repetitions[e.place] := repeats;
  END LOOP;
  IF settled <> '{}' THEN
    DELETE FROM hold WHERE id = ANY (settled);
  END IF;
  FOR share IN
    SELECT id, sum(amount)::bigint AS amount FROM unnest(shared_ids, shares) AS taken (id, amount)
    GROUP BY id ORDER BY id
  LOOP
    PERFORM reduce_hold(share.id, share.amount);
  END LOOP;
  INSERT INTO entry (
    id, event_id, account_id, key_id, kind, amount_nano_usd, cost_nano_usd, uncollected_nano_usd,
    request_id, route_type, alias, provider, upstream_model, unit_type, quantity, basis,
    corpus_size, prompt_tokens, completion_tokens, cached_prompt_tokens, conversation_id,
    charge_id, reference, occurred_at)
  SELECT
    id, event_id, account_id, key_id, kind, -charges[place], dues[place],
    dues[place] - charges[place],
    request_id, route_type, alias, provider, upstream_model, unit_type, quantity, basis,
    corpus_size, prompt_tokens, completion_tokens, cached_prompt_tokens,
    CASE
      WHEN conversation_id IS NULL OR EXISTS (
        SELECT FROM deleted_conversation d WHERE d.conversation_id = event.conversation_id)
      THEN NULL ELSE conversation_id
    END,
    CASE WHEN repetitions[place] THEN NULL ELSE charge_id END,
    CASE WHEN repetitions[place] THEN charge_id ELSE '' END,
    occurred_at
  FROM unnest(events) WITH ORDINALITY AS event, LATERAL (SELECT ordinality::int AS place) at
  WHERE charges[place] IS NOT NULL;
  RETURN uncollected;
END $$;

-- What replicas from before this migration call.
CREATE OR REPLACE FUNCTION capture_usage(events usage_line[]) RETURNS bigint LANGUAGE sql AS $$
  SELECT capture_usage(ARRAY(
    SELECT ROW (
      id, event_id, account_id, key_id, hold_id, '', 0, kind, cost, charge_limit, charge_id,
      request_id, route_type, alias, provider, upstream_model, unit_type, quantity, basis, corpus_size,
      prompt_tokens, completion_tokens, cached_prompt_tokens, conversation_id, occurred_at
    )::usage_row
    FROM unnest(events) WITH ORDINALITY ORDER BY ordinality
  ))
$$;
