-- The accounts that pay, and their keys.
CREATE TABLE account (
  id         text PRIMARY KEY,
  name       text NOT NULL,
  -- The admission policy of its requests. Empty for the gateway's own.
  admission  text NOT NULL DEFAULT '' CHECK (admission IN ('', 'likely', 'strict', 'whole')),
  created_at timestamptz(6) NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX account_name ON account (name);

-- A key's text is not stored: only its SHA-256.
CREATE TABLE api_key (
  id         text PRIMARY KEY,
  account_id text NOT NULL REFERENCES account (id),
  key_hash   bytea NOT NULL CHECK (octet_length(key_hash) = 32),
  -- 'settlement' for a settlement-channel key, else empty.
  channel    text NOT NULL CHECK (channel IN ('', 'settlement')),
  created_at timestamptz(6) NOT NULL DEFAULT now(),
  revoked_at timestamptz(6)
);

CREATE UNIQUE INDEX api_key_hash ON api_key (key_hash);
CREATE INDEX api_key_account_id ON api_key (account_id);
