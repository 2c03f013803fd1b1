-- One request that came with an idempotency key: the run that has its lease, and its response once
-- there is one.
CREATE TABLE idempotency_record (
  key_id          text NOT NULL,
  idempotency_key text NOT NULL,
  -- SHA-256 of the request's method, path and body.
  fingerprint     bytea NOT NULL,
  -- The same for every run of the request, so that they are charged once together.
  charge_id       text NOT NULL,
  -- The request id of the run that holds the lease, and in the end of the one that responded.
  runner          text NOT NULL,
  lease_until     timestamptz(6) NOT NULL,
  expires_at      timestamptz(6) NOT NULL,
  -- When the response was stored.
  stored_at       timestamptz(6),
  content_type    text,
  -- NULL in a completed record whose response was too large to store.
  body            bytea,
  -- The conversation that the response is a turn of. The record is deleted with it.
  conversation_id text,
  PRIMARY KEY (key_id, idempotency_key)
);

-- Not compressed: a part of a compressed value cannot be read without all that precedes it.
ALTER TABLE idempotency_record ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE INDEX idempotency_record_expires_at ON idempotency_record (expires_at);
CREATE INDEX idempotency_record_conversation ON idempotency_record (key_id, conversation_id)
  WHERE conversation_id IS NOT NULL;
