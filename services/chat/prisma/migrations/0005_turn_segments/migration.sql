-- A turn as it goes to a provider: its messages without their brackets and the answer to them, with
-- a comma behind each. The brackets are single bytes, so that no character has to be counted.
CREATE FUNCTION turn_content(messages text, response text) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT substring(convert_to(messages, 'UTF8') FROM 2 FOR octet_length(messages) - 2)
    || convert_to(',' || response || ',', 'UTF8')
$$;

-- The contents of many turns in one piece, for a replica that has not served the conversation yet:
-- thousands of rows, each in parts and compressed, take many times as long to read. It is a copy,
-- made when every 64th turn is stored, so that each turn is copied once. It has no foreign key: the
-- turns have one, and to make another would lock conversations while replicas write to them.
CREATE TABLE turn_segment (
  key_id          text NOT NULL,
  conversation_id text NOT NULL,
  -- The turns from the one index until before the other.
  from_index      integer NOT NULL,
  until_index     integer NOT NULL,
  content         bytea NOT NULL,
  PRIMARY KEY (key_id, conversation_id, from_index)
);

-- It is read as it lies.
ALTER TABLE turn_segment ALTER COLUMN content SET STORAGE EXTERNAL;

-- Whoever adds a turn has locked its conversation, so that nobody else does this, or deletes it.
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

CREATE OR REPLACE FUNCTION remove_turns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM turn WHERE key_id = NEW.key_id AND conversation_id = NEW.id;
  DELETE FROM turn_segment WHERE key_id = NEW.key_id AND conversation_id = NEW.id;
  RETURN NULL;
END
$$;
