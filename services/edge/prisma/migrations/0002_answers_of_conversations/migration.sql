-- The conversation that an answer is a turn of: deleted with it.
ALTER TABLE idempotency_record ADD COLUMN conversation_id text;

CREATE INDEX idempotency_record_conversation ON idempotency_record (key_id, conversation_id)
  WHERE conversation_id IS NOT NULL;
