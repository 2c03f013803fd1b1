-- A wallet's money. What is held is still in the balance; what is free is balance - held.
CREATE TABLE wallet (
  account_id       text PRIMARY KEY,
  balance_nano_usd bigint NOT NULL CHECK (balance_nano_usd >= 0),
  held_nano_usd    bigint NOT NULL CHECK (held_nano_usd >= 0),
  created_at       timestamptz(6) NOT NULL DEFAULT now(),
  CHECK (balance_nano_usd - held_nano_usd >= 0)
);

-- Money set aside for a request under way. Settling or sweeping a hold deletes its row.
CREATE TABLE hold (
  id              text PRIMARY KEY,
  account_id      text NOT NULL,
  amount_nano_usd bigint NOT NULL CHECK (amount_nano_usd > 0),
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  expires_at      timestamptz(6) NOT NULL
);

CREATE INDEX hold_expires_at ON hold (expires_at);

-- What happened to a wallet, for ever. The entries of a wallet add up to its balance.
CREATE TABLE entry (
  id                   text PRIMARY KEY,
  event_id             text NOT NULL,
  account_id           text NOT NULL,
  key_id               text NOT NULL,
  kind                 text NOT NULL CHECK (kind IN ('usage', 'failure', 'top_up')),
  amount_nano_usd      bigint NOT NULL,
  cost_nano_usd        bigint NOT NULL CHECK (cost_nano_usd >= 0),
  uncollected_nano_usd bigint NOT NULL CHECK (uncollected_nano_usd >= 0),
  request_id           text NOT NULL,
  route_type           text NOT NULL,
  alias                text NOT NULL,
  provider             text NOT NULL,
  upstream_model       text NOT NULL,
  unit_type            text NOT NULL,
  quantity             bigint NOT NULL CHECK (quantity >= 0),
  basis                text NOT NULL,
  prompt_tokens        bigint NOT NULL,
  completion_tokens    bigint NOT NULL,
  cached_prompt_tokens bigint NOT NULL,
  conversation_id      text,
  reference            text NOT NULL,
  occurred_at          timestamptz(6) NOT NULL,
  recorded_at          timestamptz(6) NOT NULL DEFAULT now(),
  CHECK (CASE kind
    WHEN 'usage' THEN amount_nano_usd <= 0 AND cost_nano_usd = uncollected_nano_usd - amount_nano_usd
    WHEN 'failure' THEN amount_nano_usd = 0 AND cost_nano_usd = 0
    ELSE amount_nano_usd > 0
  END)
);

-- What makes consumption exactly once.
CREATE UNIQUE INDEX entry_event_id ON entry (event_id);
CREATE INDEX entry_account_recorded_at ON entry (account_id, recorded_at);
CREATE INDEX entry_request_id ON entry (request_id);

-- Entries are append-only. The one change allowed is clearing the link to a conversation.
CREATE FUNCTION refuse_entry_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.conversation_id IS NULL THEN
    OLD.conversation_id := NULL;
    IF NEW IS NOT DISTINCT FROM OLD THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'ledger entries are append-only';
END $$;

CREATE TRIGGER entry_append_only BEFORE UPDATE OR DELETE ON entry
  FOR EACH ROW EXECUTE FUNCTION refuse_entry_change();
CREATE TRIGGER entry_no_truncate BEFORE TRUNCATE ON entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_entry_change();

-- Captures usage events, in their order, each exactly once. A charge is the cost, but no more than
-- the client was told, and no more than the event's own hold and what is free besides: money that
-- other requests hold is never touched. Wallets are locked first and by id, as everywhere; what is
-- read after the lock is what every other writer of these wallets has committed.
CREATE FUNCTION capture_events(events jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  e record;
  own_hold bigint;
  charge bigint;
BEGIN
  PERFORM FROM wallet
    WHERE account_id IN (SELECT event ->> 'account_id' FROM jsonb_array_elements(events) event)
    ORDER BY account_id FOR UPDATE;
  FOR e IN
    SELECT * FROM jsonb_to_recordset(events) AS event (
      id text, event_id text, account_id text, key_id text, hold_id text, kind text,
      cost bigint, charge_limit bigint, request_id text, route_type text, alias text,
      provider text, upstream_model text, unit_type text, quantity bigint, basis text,
      prompt_tokens bigint, completion_tokens bigint, cached_prompt_tokens bigint,
      occurred_at timestamptz)
  LOOP
    CONTINUE WHEN EXISTS (SELECT FROM entry WHERE event_id = e.event_id);
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
      prompt_tokens, completion_tokens, cached_prompt_tokens, reference, occurred_at)
    VALUES (
      e.id, e.event_id, e.account_id, e.key_id, e.kind, -charge, e.cost, e.cost - charge,
      e.request_id, e.route_type, e.alias, e.provider, e.upstream_model, e.unit_type, e.quantity,
      e.basis, e.prompt_tokens, e.completion_tokens, e.cached_prompt_tokens, '', e.occurred_at);
  END LOOP;
END $$;
