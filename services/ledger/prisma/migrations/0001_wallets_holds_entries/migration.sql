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
