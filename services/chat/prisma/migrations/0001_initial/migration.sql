-- A conversation belongs to the key that started it: the same id under another key is another
-- conversation.
CREATE TABLE conversation (
  key_id          text NOT NULL,
  id              text NOT NULL,
  account_id      text NOT NULL,
  model           text NOT NULL,
  turn_count      integer NOT NULL,
  -- The tokens of all turns, as the last turn's provider counted them.
  context_tokens  bigint NOT NULL,
  -- Sizes of all turns, for the hold's estimate.
  text_bytes      bigint NOT NULL,
  text_characters bigint NOT NULL,
  messages        integer NOT NULL,
  image_parts     integer NOT NULL,
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  last_active_at  timestamptz(6) NOT NULL DEFAULT now(),
  -- A tombstone: the id is not used again, and the content is deleted.
  deleted_at      timestamptz(6),
  PRIMARY KEY (key_id, id)
);

CREATE INDEX conversation_last_active ON conversation (key_id, last_active_at DESC, id)
  WHERE deleted_at IS NULL;

CREATE TABLE turn (
  key_id          text NOT NULL,
  conversation_id text NOT NULL,
  index           integer NOT NULL,
  -- JSON, as the client sent it and as it is sent to providers.
  messages        text NOT NULL,
  response        text NOT NULL,
  usage           text NOT NULL,
  model           text NOT NULL,
  request_id      text NOT NULL,
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  -- A request with an idempotency key may run again, under the same charge id. Its turn is stored
  -- once, with what another run needs to send the same response.
  charge_id       text,
  response_head   text,
  PRIMARY KEY (key_id, conversation_id, index),
  FOREIGN KEY (key_id, conversation_id) REFERENCES conversation (key_id, id)
);

CREATE UNIQUE INDEX turn_charge ON turn (key_id, conversation_id, charge_id)
  WHERE charge_id IS NOT NULL;

-- The run that works on a conversation. It is a lease: a holder that dies loses it.
CREATE TABLE session_lock (
  key_id          text NOT NULL,
  conversation_id text NOT NULL,
  holder          text NOT NULL,
  lease_until     timestamptz(6) NOT NULL,
  PRIMARY KEY (key_id, conversation_id)
);

-- Deleted conversations whose ledger entries are still linked to them.
CREATE TABLE pending_unlink (
  link       text PRIMARY KEY,
  account_id text NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT now()
);

-- The contents of many turns in one row, for a replica that has not served the conversation yet:
-- thousands of rows, each in parts and compressed, take many times as long to read. It is a copy,
-- made when every 64th turn is stored, so that each turn is copied once. It has no foreign key: the
-- turns have one, and another would lock conversations while replicas write to them.
CREATE TABLE turn_segment (
  key_id          text NOT NULL,
  conversation_id text NOT NULL,
  -- The turns from `from_index` up to but not including `until_index`.
  from_index      integer NOT NULL,
  until_index     integer NOT NULL,
  content         bytea NOT NULL,
  PRIMARY KEY (key_id, conversation_id, from_index)
);

-- Not compressed: it is read as it is stored.
ALTER TABLE turn_segment ALTER COLUMN content SET STORAGE EXTERNAL;

-- Returns a turn as it is sent to a provider: its messages without their brackets and the response
-- to them, with a comma after each. The brackets are single bytes, so that no characters have to be
-- counted.
CREATE FUNCTION turn_content(messages text, response text) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT substring(convert_to(messages, 'UTF8') FROM 2 FOR octet_length(messages) - 2)
    || convert_to(',' || response || ',', 'UTF8')
$$;

-- Copies the turns that are in no segment yet into one. The statement that adds a turn has locked
-- its conversation, so that nothing else does this, or deletes the turns, at the same time.
CREATE FUNCTION join_turns() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  joined integer;
BEGIN
  SELECT coalesce(max(until_index), 0) INTO joined FROM turn_segment
  WHERE key_id = NEW.key_id AND conversation_id = NEW.conversation_id;
  INSERT INTO turn_segment (key_id, conversation_id, from_index, until_index, content)
  SELECT NEW.key_id, NEW.conversation_id, joined, NEW.index + 1,
    string_agg(turn_content(messages, response), ''::bytea ORDER BY index)
  FROM turn
  WHERE key_id = NEW.key_id AND conversation_id = NEW.conversation_id
    AND index >= joined AND index <= NEW.index;
  RETURN NULL;
END
$$;

CREATE TRIGGER turns_are_joined AFTER INSERT ON turn
  FOR EACH ROW WHEN (NEW.index % 64 = 63) EXECUTE FUNCTION join_turns();

-- Deletes the turns of a conversation that was marked as deleted. A statement does not see what
-- another commits while it waits for that one's lock: one that marks the conversation and deletes
-- its turns would miss a turn that is being added. A trigger's statements see it, since they start
-- once the conversation's row is locked, and no turn is added afterwards.
CREATE FUNCTION remove_turns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM turn WHERE key_id = NEW.key_id AND conversation_id = NEW.id;
  DELETE FROM turn_segment WHERE key_id = NEW.key_id AND conversation_id = NEW.id;
  RETURN NULL;
END
$$;

CREATE TRIGGER deleted_conversation_has_no_turns AFTER UPDATE OF deleted_at ON conversation
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION remove_turns();
