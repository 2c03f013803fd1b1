-- What the client of the request that created a job called that request; empty for none.
ALTER TABLE ocr_job ADD COLUMN client_request_id text NOT NULL DEFAULT '';
