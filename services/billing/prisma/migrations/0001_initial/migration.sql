-- The accounts that pay, and their keys.
CREATE TABLE account (
  id         text PRIMARY KEY,
  name       text NOT NULL,
  -- The admission policy of its requests. Empty for the gateway's own.
  admission  text NOT NULL DEFAULT '' CHECK (admission IN ('', 'likely', 'strict', 'whole')),
  -- False only if the ledger has no limits of the account.
  is_limited boolean NOT NULL DEFAULT false,
  created_at timestamptz(6) NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX account_name ON account (name);

CREATE TABLE api_key (
  id         text PRIMARY KEY,
  account_id text NOT NULL REFERENCES account (id),
  -- 'settlement' for a settlement-channel key, else empty.
  channel    text NOT NULL CHECK (channel IN ('', 'settlement')),
  -- For people. Empty: none.
  name       text NOT NULL DEFAULT '',
  owner      text NOT NULL DEFAULT '',
  tags       text[] NOT NULL DEFAULT '{}',
  -- The aliases that it may call, as globs. Empty: all that are public.
  models     text[] NOT NULL DEFAULT '{}',
  -- False only if the ledger has no limits of the key.
  is_limited boolean NOT NULL DEFAULT false,
  created_at timestamptz(6) NOT NULL DEFAULT now(),
  expires_at timestamptz(6),
  -- When its text was replaced the last time.
  rotated_at timestamptz(6),
  revoked_at timestamptz(6)
);

CREATE INDEX api_key_account_id ON api_key (account_id, id);

-- The texts of the keys: the present one of each, and those that a rotation has replaced. A text is
-- not stored: only its SHA-256.
CREATE TABLE key_secret (
  key_hash   bytea PRIMARY KEY CHECK (octet_length(key_hash) = 32),
  key_id     text NOT NULL REFERENCES api_key (id),
  created_at timestamptz(6) NOT NULL DEFAULT now(),
  -- Set when it is replaced.
  expires_at timestamptz(6)
);

CREATE INDEX key_secret_key_id ON key_secret (key_id);
