-- A statement does not see what another commits while it waits for that other's lock: deleting turns
-- in the statement that buries their conversation would miss one that is just being added. A
-- trigger's statements look anew, once the conversation's row is locked, and nothing is added after.
CREATE FUNCTION remove_turns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM turn WHERE key_id = NEW.key_id AND conversation_id = NEW.id;
  RETURN NULL;
END
$$;

CREATE TRIGGER deleted_conversation_has_no_turns AFTER UPDATE OF deleted_at ON conversation
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION remove_turns();

-- What was missed before.
DELETE FROM turn USING conversation c
WHERE c.key_id = turn.key_id AND c.id = turn.conversation_id AND c.deleted_at IS NOT NULL;
