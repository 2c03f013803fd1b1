-- The start credit that the account gets once a card is saved with which no other account has got one.
ALTER TABLE account ADD COLUMN start_credit_nano_usd bigint NOT NULL DEFAULT 0;
