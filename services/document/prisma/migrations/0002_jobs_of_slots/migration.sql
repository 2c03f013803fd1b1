-- A job's id is its provider's: another slot may count its own alike, and a provider may name the
-- same job again, to the same account or to another, for a document that it has seen before.
ALTER TABLE ocr_job
  DROP CONSTRAINT ocr_job_pkey,
  ADD PRIMARY KEY (account_id, alias, job_id, slot_id);
