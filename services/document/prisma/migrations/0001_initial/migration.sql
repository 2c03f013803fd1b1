-- An OCR job at its provider: its owner, its hold, and whether its usage has been metered. The provider
-- chooses the job's id. Another slot may use the same id, and a provider may return the same job
-- again, to the same account or to another, for a document that it has processed before.
CREATE TABLE ocr_job (
  alias         text NOT NULL,
  job_id        text NOT NULL,
  account_id    text NOT NULL,
  key_id        text NOT NULL,
  -- The slot that accepted the job: no other slot knows it.
  slot_id       text NOT NULL,
  -- The key of its provider that the slot was called with; empty where that has no list of keys.
  key_name      text NOT NULL DEFAULT '',
  file_parts    integer NOT NULL CHECK (file_parts > 0),
  -- The plan of the account when it was created, at whose prices it was held for.
  plan          text NOT NULL,
  -- The most pages that its files can have.
  pages         integer NOT NULL CHECK (pages >= 0),
  created_at    timestamptz(6) NOT NULL DEFAULT now(),
  -- When the job was first read as ended and its usage event was durable.
  metered_at    timestamptz(6),
  -- The request that created the job.
  request_id    text NOT NULL,
  -- Its hold in the ledger, and what that has. NULL where the job costs nothing, or its time is over.
  hold_id       text,
  hold_nano_usd bigint NOT NULL DEFAULT 0 CHECK (hold_nano_usd >= 0),
  -- When the gateway reads the job itself, and releases the hold.
  hold_until    timestamptz(6) NOT NULL,
  -- Whether the ledger keeps the hold for the job. Until then it expires as a request's does.
  is_kept       boolean NOT NULL DEFAULT false,
  -- When the gateway looks after the hold next: to have it kept, or to read the job. NULL: it need not.
  next_at       timestamptz(6),
  PRIMARY KEY (account_id, alias, job_id, slot_id)
);

CREATE INDEX ocr_job_next_at ON ocr_job (next_at) WHERE next_at IS NOT NULL;
