-- A request with an idempotency key: the lease of its run, and then its stored response.
CREATE TABLE idempotency_record (
  key_id          text NOT NULL,
  idempotency_key text NOT NULL,
  -- SHA-256 of the request's method, path and body.
  fingerprint     bytea NOT NULL,
  -- The same for every run of the request, so that all runs together are charged once.
  charge_id       text NOT NULL,
  -- The request id of the run that holds the lease, or that stored the response.
  runner          text NOT NULL,
  lease_until     timestamptz(6) NOT NULL,
  expires_at      timestamptz(6) NOT NULL,
  stored_at       timestamptz(6),
  content_type    text,
  -- Null in a stored record if the response was too large to store.
  body            bytea,
  -- The conversation that the response is a turn of. The response is deleted with it.
  conversation_id text,
  PRIMARY KEY (key_id, idempotency_key)
);

-- Not compressed: reading a part of a compressed value decompresses everything before it.
ALTER TABLE idempotency_record ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE INDEX idempotency_record_expires_at ON idempotency_record (expires_at);

CREATE INDEX idempotency_record_conversation ON idempotency_record (key_id, conversation_id)
  WHERE conversation_id IS NOT NULL;
