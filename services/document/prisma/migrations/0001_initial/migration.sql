-- An OCR job at its provider: its owner, and whether its usage has been metered. The provider
-- chooses the job's id. Another slot may use the same id, and a provider may return the same job
-- again, to the same account or to another, for a document that it has processed before.
CREATE TABLE ocr_job (
  alias        text NOT NULL,
  job_id       text NOT NULL,
  account_id   text NOT NULL,
  key_id       text NOT NULL,
  -- The slot that accepted the job: no other slot knows it.
  slot_id      text NOT NULL,
  file_parts   integer NOT NULL CHECK (file_parts > 0),
  -- The most pages that its files can have.
  pages        integer NOT NULL CHECK (pages >= 0),
  created_at   timestamptz(6) NOT NULL DEFAULT now(),
  -- When the job was first read as ended and its usage event was durable.
  metered_at   timestamptz(6),
  PRIMARY KEY (account_id, alias, job_id, slot_id)
);
