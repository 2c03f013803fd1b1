-- An OCR job at its provider: whose it is, and whether what it used has been metered.
CREATE TABLE ocr_job (
  alias        text NOT NULL,
  job_id       text NOT NULL,
  account_id   text NOT NULL,
  key_id       text NOT NULL,
  -- The slot that took the job, and alone knows of it.
  slot_id      text NOT NULL,
  file_parts   integer NOT NULL CHECK (file_parts > 0),
  created_at   timestamptz(6) NOT NULL DEFAULT now(),
  -- When a read first saw the job ended, and the usage event was safe.
  metered_at   timestamptz(6),
  PRIMARY KEY (alias, job_id)
);
