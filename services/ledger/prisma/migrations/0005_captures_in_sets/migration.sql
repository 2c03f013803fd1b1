-- Captures are most of what Postgres does for a request. They are decided on those fields alone
-- that money goes by, and written in one statement.

-- What refuses changes by hand is asked once a statement, not once a row. Replaced, not dropped: that
-- would wait for every reader, and everybody for it.
CREATE OR REPLACE TRIGGER recorded_event_follows BEFORE INSERT OR UPDATE OR DELETE ON recorded_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
CREATE OR REPLACE TRIGGER charge_follows BEFORE INSERT OR UPDATE OR DELETE ON charge
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
CREATE OR REPLACE TRIGGER spend_hour_follows BEFORE INSERT OR UPDATE OR DELETE ON spend_hour
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();

-- A usage event as `capture_usage` takes it. Replicas write its fields by their order: one that has
-- more fields is another type, of another function.
CREATE TYPE usage_line AS (
  id                   text,
  event_id             text,
  account_id           text,
  key_id               text,
  hold_id              text,
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

-- Captures usage events, in their order, each exactly once, by the rules of `capture_events`, which
-- replicas from before this migration go on calling.
-- Answers what of their cost stays uncollected, all together.
CREATE FUNCTION capture_usage(events usage_line[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  e record;
  owner text;
  free bigint;
  due bigint;
  paid bigint;
  repeats boolean;
  settled text[] := '{}';
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
      END AS own_hold
    FROM (
      SELECT DISTINCT ON (event_id)
        event_id, account_id, hold_id, charge_id, cost, charge_limit,
        ordinality::int AS place
      FROM unnest(events) WITH ORDINALITY
      ORDER BY event_id, ordinality
    ) given
    LEFT JOIN LATERAL (
      SELECT id, amount_nano_usd FROM hold
      WHERE id = given.hold_id AND account_id = given.account_id LIMIT 1
    ) h ON true
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
    paid := least(due, e.charge_limit, free);
    free := free - paid;
    uncollected := uncollected + due - paid;
    dues[e.place] := due;
    charges[e.place] := paid;
    repetitions[e.place] := repeats;
  END LOOP;
  DELETE FROM hold WHERE id = ANY (settled);
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
