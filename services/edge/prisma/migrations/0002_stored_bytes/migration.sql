-- The size of the body, by which the stored responses of a key are trimmed to its quota without
-- reading them. NULL where no body is stored.
ALTER TABLE idempotency_record ADD COLUMN stored_bytes integer;

CREATE INDEX idempotency_record_stored ON idempotency_record (key_id, stored_at)
  INCLUDE (idempotency_key, stored_bytes) WHERE stored_bytes IS NOT NULL;
