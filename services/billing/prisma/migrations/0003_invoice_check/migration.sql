-- The last check of a provider's invoice of a month. The amounts are those of the models for which less was charged
-- than the provider was paid; both are 0 where there are none.
CREATE TABLE invoice_check (
  provider         text NOT NULL,
  -- Its first day (UTC).
  month            date NOT NULL,
  paid_nano_usd    bigint NOT NULL CHECK (paid_nano_usd >= 0),
  charged_nano_usd bigint NOT NULL CHECK (charged_nano_usd BETWEEN 0 AND paid_nano_usd),
  checked_at       timestamptz(6) NOT NULL,
  PRIMARY KEY (provider, month)
);
