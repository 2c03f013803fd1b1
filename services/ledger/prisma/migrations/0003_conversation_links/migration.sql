-- Entries are linked to the conversation that they belong to, until it is deleted. A usage event may
-- arrive after the deletion, so the deletion is remembered.
CREATE TABLE deleted_conversation (
  conversation_id text PRIMARY KEY,
  deleted_at      timestamptz(6) NOT NULL DEFAULT now()
);

CREATE INDEX entry_conversation_id ON entry (conversation_id) WHERE conversation_id IS NOT NULL;

-- Captures usage events, in their order, each exactly once. A charge is the cost, but no more than
-- the client was told, and no more than the event's own hold and what is free besides: money that
-- other requests hold is never touched. A usage whose charge id was charged before costs nothing,
-- and its entry refers to that id. A conversation that is deleted by now is not linked to. Wallets are locked first and by id, as everywhere; what is read
-- after the lock is what every other writer of these wallets has committed.
CREATE OR REPLACE FUNCTION capture_events(events jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  e record;
  own_hold bigint;
  charge bigint;
  new_charge_id text;
  repeats text;
BEGIN
  PERFORM FROM wallet
    WHERE account_id IN (SELECT event ->> 'account_id' FROM jsonb_array_elements(events) event)
    ORDER BY account_id FOR UPDATE;
  FOR e IN
    SELECT * FROM jsonb_to_recordset(events) AS event (
      id text, event_id text, account_id text, key_id text, hold_id text, kind text,
      cost bigint, charge_limit bigint, charge_id text, request_id text, route_type text,
      alias text, provider text, upstream_model text, unit_type text, quantity bigint, basis text,
      corpus_size bigint, prompt_tokens bigint, completion_tokens bigint,
      cached_prompt_tokens bigint, conversation_id text, occurred_at timestamptz)
  LOOP
    CONTINUE WHEN EXISTS (SELECT FROM entry WHERE event_id = e.event_id);
    new_charge_id := e.charge_id;
    repeats := '';
    IF EXISTS (SELECT FROM entry WHERE charge_id = e.charge_id) THEN
      new_charge_id := NULL;
      repeats := e.charge_id;
      e.cost := 0;
    END IF;
    DELETE FROM hold WHERE id = e.hold_id RETURNING amount_nano_usd INTO own_hold;
    own_hold := coalesce(own_hold, 0);
    SELECT least(e.cost, e.charge_limit, balance_nano_usd - held_nano_usd + own_hold) INTO charge
      FROM wallet WHERE account_id = e.account_id;
    charge := coalesce(charge, 0);
    UPDATE wallet SET
      balance_nano_usd = balance_nano_usd - charge,
      held_nano_usd = held_nano_usd - own_hold
      WHERE account_id = e.account_id;
    INSERT INTO entry (
      id, event_id, account_id, key_id, kind, amount_nano_usd, cost_nano_usd, uncollected_nano_usd,
      request_id, route_type, alias, provider, upstream_model, unit_type, quantity, basis,
      corpus_size, prompt_tokens, completion_tokens, cached_prompt_tokens, conversation_id,
      charge_id, reference, occurred_at)
    VALUES (
      e.id, e.event_id, e.account_id, e.key_id, e.kind, -charge, e.cost, e.cost - charge,
      e.request_id, e.route_type, e.alias, e.provider, e.upstream_model, e.unit_type, e.quantity,
      e.basis, e.corpus_size, e.prompt_tokens, e.completion_tokens, e.cached_prompt_tokens,
      (SELECT e.conversation_id WHERE NOT EXISTS (
        SELECT FROM deleted_conversation WHERE conversation_id = e.conversation_id)),
      new_charge_id, repeats, e.occurred_at);
  END LOOP;
END $$;
