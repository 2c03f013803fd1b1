-- One request that came with an idempotency key: who runs it, and its answer once there is one.
CREATE TABLE idempotency_record (
  key_id          text NOT NULL,
  idempotency_key text NOT NULL,
  -- SHA-256 of the request's method, path and body.
  fingerprint     bytea NOT NULL,
  -- Stays the same over every run of the same request, so that they are charged once together.
  charge_id       text NOT NULL,
  -- The request id of the run that holds the claim, and in the end of the one that answered.
  runner          text NOT NULL,
  lease_until     timestamptz(6) NOT NULL,
  expires_at      timestamptz(6) NOT NULL,
  answered_at     timestamptz(6),
  content_type    text,
  -- Null in an answered record whose answer was too large to keep.
  body            bytea,
  PRIMARY KEY (key_id, idempotency_key)
);

CREATE INDEX idempotency_record_expires_at ON idempotency_record (expires_at);
