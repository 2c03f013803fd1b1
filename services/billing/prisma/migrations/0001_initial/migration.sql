-- The accounts that pay, and their keys.
CREATE TABLE account (
  id         text PRIMARY KEY,
  name       text NOT NULL,
  -- The admission policy of its requests. Empty for the gateway's own.
  admission  text NOT NULL DEFAULT '' CHECK (admission IN ('', 'likely', 'strict', 'whole')),
  -- The plan of the catalog whose prices it pays. Empty for the list prices.
  plan       text NOT NULL DEFAULT '',
  -- False only if the ledger has no limits of the account.
  is_limited boolean NOT NULL DEFAULT false,
  -- The bounds of the keys that members create: their number, their models, and their highest limits as
  -- tollgate.v1.Limits in JSON.
  max_keys   integer,
  key_models text[] NOT NULL DEFAULT '{}',
  key_limits json,
  -- For how many days its prompts and responses are stored. NULL: they are not.
  content_days integer CHECK (content_days > 0),
  -- Whether its end users are stored as requests name them. Else by a hash.
  keeps_end_users boolean NOT NULL DEFAULT false,
  -- Under which the ids of its end users are hashed.
  end_user_salt text NOT NULL DEFAULT gen_random_uuid()::text,
  frozen_at  timestamptz(6),
  closed_at  timestamptz(6),
  created_at timestamptz(6) NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX account_name ON account (name);

CREATE TABLE api_key (
  id         text PRIMARY KEY,
  account_id text NOT NULL REFERENCES account (id),
  -- The member who created it. NULL for an operator's. Of a playground, the person.
  member_id  text,
  -- 'settlement' for a settlement-channel key, 'playground' for that of a playground, else empty.
  channel    text NOT NULL CHECK (channel IN ('', 'settlement', 'playground')),
  -- For people. Empty: none.
  name       text NOT NULL DEFAULT '',
  owner      text NOT NULL DEFAULT '',
  tags       text[] NOT NULL DEFAULT '{}',
  -- The aliases that it may call, as globs. Empty: all that are public.
  models     text[] NOT NULL DEFAULT '{}',
  -- False only if the ledger has no limits of the key.
  is_limited boolean NOT NULL DEFAULT false,
  -- The ledger's limit of its requests, which also bounds its free calls. NULL: none.
  requests_per_minute bigint,
  -- Of a member's key: the limits that an admin or an operator has set, as tollgate.v1.Limits in JSON, which
  -- the member cannot raise.
  limit_ceiling json,
  created_at timestamptz(6) NOT NULL DEFAULT now(),
  expires_at timestamptz(6),
  -- When its text was replaced the last time.
  rotated_at timestamptz(6),
  revoked_at timestamptz(6)
);

CREATE INDEX api_key_account_id ON api_key (account_id, id);
CREATE INDEX api_key_member_id ON api_key (member_id, id);
-- A person has one playground in each account.
CREATE UNIQUE INDEX api_key_playground ON api_key (account_id, member_id)
  WHERE channel = 'playground';

-- The texts of the keys: the present one of each, and those that a rotation has replaced. A text is
-- not stored: only its SHA-256.
CREATE TABLE key_secret (
  key_hash   bytea PRIMARY KEY CHECK (octet_length(key_hash) = 32),
  key_id     text NOT NULL REFERENCES api_key (id),
  created_at timestamptz(6) NOT NULL DEFAULT now(),
  -- Set when it is replaced.
  expires_at timestamptz(6),
  -- The beginning and the end of the text, as lists show it.
  shown_key  text NOT NULL,
  -- When a request had it last, within a minute. NULL: never.
  last_used_at timestamptz(6)
);

CREATE INDEX key_secret_key_id ON key_secret (key_id);

-- Who signs in to the console.
CREATE TABLE operator (
  id                text PRIMARY KEY,
  -- The name with which a local operator signs in; of others, for people.
  name              text NOT NULL,
  role              text NOT NULL CHECK (role IN ('customer', 'viewer', 'operator', 'owner')),
  -- The only account that a customer sees. NULL for a customer who is a member of accounts.
  account_id        text REFERENCES account (id),
  -- The OpenID issuer and the subject there. A local operator has no issuer; its name is its subject, and
  -- that of a member is `mail:` and the address.
  issuer            text NOT NULL DEFAULT '',
  subject           text NOT NULL,
  -- The verified e-mail address of a member, in small letters; else empty.
  email             text NOT NULL DEFAULT '',
  -- The parameters, salt and result of scrypt.
  password_hash     text,
  created_at        timestamptz(6) NOT NULL DEFAULT now(),
  disabled_at       timestamptz(6),
  last_signed_in_at timestamptz(6),
  CHECK (role = 'customer' OR account_id IS NULL)
);

CREATE UNIQUE INDEX operator_issuer_subject ON operator (issuer, subject);

-- Who belongs to which account.
CREATE TABLE member (
  account_id text NOT NULL REFERENCES account (id),
  person_id  text NOT NULL REFERENCES operator (id),
  role       text NOT NULL CHECK (role IN ('developer', 'billing', 'admin')),
  -- How they came.
  origin     text NOT NULL CHECK (origin IN ('invitation', 'provider', 'sign-up')),
  created_at timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, person_id)
);

CREATE INDEX member_person_id ON member (person_id);

-- An invitation by mail, which is deleted when it is accepted. The secret of its link is not stored: only
-- its SHA-256.
CREATE TABLE invitation (
  id          text PRIMARY KEY,
  secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
  account_id  text NOT NULL REFERENCES account (id),
  email       text NOT NULL,
  role        text NOT NULL CHECK (role IN ('developer', 'billing', 'admin')),
  created_at  timestamptz(6) NOT NULL DEFAULT now(),
  expires_at  timestamptz(6) NOT NULL
);

CREATE UNIQUE INDEX invitation_secret_hash ON invitation (secret_hash);
CREATE UNIQUE INDEX invitation_account_id_email ON invitation (account_id, email);
CREATE INDEX invitation_expires_at ON invitation (expires_at);

-- A link with which an operator signs in once. It is deleted when it is used. The secrets of links,
-- sessions and tokens are not stored: only their SHA-256.
CREATE TABLE sign_in_link (
  secret_hash bytea PRIMARY KEY CHECK (octet_length(secret_hash) = 32),
  operator_id text NOT NULL REFERENCES operator (id),
  created_at  timestamptz(6) NOT NULL DEFAULT now(),
  expires_at  timestamptz(6) NOT NULL
);

CREATE INDEX sign_in_link_expires_at ON sign_in_link (expires_at);

-- People who sign up: until they have confirmed their address, and then until they have an account.
CREATE TABLE sign_up (
  id           text PRIMARY KEY,
  email        text NOT NULL,
  -- Of the account that is opened.
  account_name text NOT NULL,
  -- Of the link that confirms the address; NULL once it was used.
  secret_hash  bytea CHECK (octet_length(secret_hash) = 32),
  person_id    text REFERENCES operator (id),
  account_id   text REFERENCES account (id),
  created_at   timestamptz(6) NOT NULL DEFAULT now(),
  -- Of the link.
  expires_at   timestamptz(6) NOT NULL
);

CREATE UNIQUE INDEX sign_up_secret_hash ON sign_up (secret_hash);
CREATE INDEX sign_up_email ON sign_up (email);
CREATE INDEX sign_up_expires_at ON sign_up (expires_at);

-- The mailboxes and domains that have received a start credit, as keyed hashes.
CREATE TABLE start_credit (
  subject    text PRIMARY KEY,
  account_id text NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT now()
);

-- What waits to be sent, encrypted: links of mail are secrets. A message is deleted when it is sent.
CREATE TABLE outbox (
  id              text PRIMARY KEY,
  queue           text NOT NULL CHECK (queue IN ('mail', 'webhook')),
  -- The channel of warnings that it is for. Empty: none.
  channel_id      text NOT NULL,
  sealed          bytea NOT NULL,
  attempts        integer NOT NULL DEFAULT 0,
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  next_attempt_at timestamptz(6) NOT NULL
);

CREATE INDEX outbox_next_attempt_at ON outbox (queue, next_attempt_at);
CREATE INDEX outbox_channel_id ON outbox (channel_id) WHERE channel_id <> '';

-- The rules of warnings of an account; of the gateway where the id is empty.
CREATE TABLE warning_settings (
  account_id  text PRIMARY KEY,
  -- The message WarningRules as JSON.
  rules       json NOT NULL,
  -- When they were checked the last time.
  checked_at  timestamptz(6) NOT NULL,
  -- How many channels were tested in the hour since `tests_since`.
  tests       integer NOT NULL DEFAULT 0,
  tests_since timestamptz(6)
);

CREATE INDEX warning_settings_checked_at ON warning_settings (checked_at);

-- Where warnings go.
CREATE TABLE warning_channel (
  id           text PRIMARY KEY,
  -- Empty: of the gateway.
  account_id   text NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('mail', 'webhook', 'slack')),
  -- The address or the URL, and the secret that signs, encrypted.
  sealed       bytea NOT NULL,
  created_at   timestamptz(6) NOT NULL,
  delivered_at timestamptz(6),
  -- Why it did not take the last message, as a status or a code. Empty: it did.
  error        text NOT NULL DEFAULT '',
  error_at     timestamptz(6)
);

CREATE INDEX warning_channel_account_id ON warning_channel (account_id);

-- Conditions of rules that are true, and those that were true within the last 90 days.
CREATE TABLE warning (
  id         text PRIMARY KEY,
  -- Empty: of the gateway.
  account_id text NOT NULL,
  kind       text NOT NULL,
  -- Distinguishes the warnings of an account that have the same kind.
  subject    text NOT NULL,
  -- Empty: about no key.
  key_id     text NOT NULL,
  title      text NOT NULL,
  text       text NOT NULL,
  begun_at   timestamptz(6) NOT NULL,
  ended_at   timestamptz(6)
);

CREATE INDEX warning_account_id ON warning (account_id, id);
CREATE UNIQUE INDEX warning_open ON warning (account_id, kind, subject) WHERE ended_at IS NULL;

-- The number of mails that were requested on a day, by the hash of an address, domain, network or account.
CREATE TABLE mail_count (
  subject text NOT NULL,
  -- The start of the day (UTC).
  day     timestamptz(6) NOT NULL,
  mails   integer NOT NULL,
  PRIMARY KEY (subject, day)
);

CREATE INDEX mail_count_day ON mail_count (day);

CREATE TABLE operator_session (
  session_hash bytea PRIMARY KEY CHECK (octet_length(session_hash) = 32),
  operator_id  text NOT NULL REFERENCES operator (id),
  -- How it began.
  method       text NOT NULL CHECK (method IN ('link', 'password', 'provider')),
  -- The account that a member has chosen. NULL: the first.
  account_id   text,
  -- Until it has a code of the second factor, it does not work.
  awaits_code  boolean NOT NULL DEFAULT false,
  created_at   timestamptz(6) NOT NULL DEFAULT now(),
  expires_at   timestamptz(6) NOT NULL
);

CREATE INDEX operator_session_operator_id ON operator_session (operator_id);
CREATE INDEX operator_session_expires_at ON operator_session (expires_at);

-- The second factors of operators and members: secrets of time-based codes (RFC 6238).
CREATE TABLE second_factor (
  operator_id  text PRIMARY KEY REFERENCES operator (id),
  -- The secret, encrypted.
  sealed       bytea NOT NULL,
  -- The step of 30 seconds of the last code that was accepted. A code of it or an earlier one is refused.
  last_step    bigint NOT NULL DEFAULT 0,
  created_at   timestamptz(6) NOT NULL,
  -- When the first code enabled it. NULL: it is not required yet.
  enabled_at   timestamptz(6)
);

-- What a person who has lost the second factor enters in place of a code, hashed. A row is deleted when it
-- is used.
CREATE TABLE recovery_code (
  operator_id text NOT NULL REFERENCES second_factor (operator_id) ON DELETE CASCADE,
  code_hash   bytea NOT NULL CHECK (octet_length(code_hash) = 32),
  PRIMARY KEY (operator_id, code_hash)
);

-- The credentials of programs that use the operator's API.
CREATE TABLE operator_token (
  id           text PRIMARY KEY,
  token_hash   bytea NOT NULL CHECK (octet_length(token_hash) = 32),
  name         text NOT NULL,
  role         text NOT NULL CHECK (role IN ('customer', 'viewer', 'operator', 'owner')),
  account_id   text REFERENCES account (id),
  -- The operator who created it; null for the CLI's own socket.
  operator_id  text REFERENCES operator (id),
  created_at   timestamptz(6) NOT NULL DEFAULT now(),
  expires_at   timestamptz(6),
  revoked_at   timestamptz(6),
  last_used_at timestamptz(6),
  CHECK ((role = 'customer') = (account_id IS NOT NULL))
);

CREATE UNIQUE INDEX operator_token_hash ON operator_token (token_hash);
CREATE INDEX operator_token_operator_id ON operator_token (operator_id);

-- How often a sign-in failed lately, by a name and an address together, or by an address alone.
CREATE TABLE sign_in_failure (
  subject  text PRIMARY KEY,
  failures integer NOT NULL,
  since    timestamptz(6) NOT NULL
);

CREATE INDEX sign_in_failure_since ON sign_in_failure (since);

-- The payments of accounts by Stripe.
CREATE TABLE payment (
  id                text PRIMARY KEY,
  account_id        text NOT NULL REFERENCES account (id),
  kind              text NOT NULL CHECK (kind IN ('checkout', 'auto')),
  amount_nano_usd   bigint NOT NULL CHECK (amount_nano_usd > 0),
  state             text NOT NULL DEFAULT 'open'
    CHECK (state IN ('open', 'credited', 'failed', 'refused')),
  -- Why it failed or was refused, for operators.
  problem           text NOT NULL DEFAULT '',
  -- Stripe's PaymentIntent, which is the reference of the top-up. NULL until the customer pays.
  intent_id         text,
  -- Stripe's PaymentMethod that an automatic top-up charges. Empty: the customer chooses it.
  payment_method_id text NOT NULL DEFAULT '',
  -- The sums of its refunds that have not failed, and of its disputes that are not won.
  refunded_nano_usd bigint NOT NULL DEFAULT 0,
  disputed_nano_usd bigint NOT NULL DEFAULT 0,
  created_at        timestamptz(6) NOT NULL DEFAULT now(),
  credited_at       timestamptz(6),
  -- When the state in this row was requested from Stripe: an older response does not replace a newer one.
  read_at           timestamptz(6)
);

CREATE INDEX payment_account_id ON payment (account_id, id);
CREATE UNIQUE INDEX payment_intent_id ON payment (intent_id);
-- For verify-payments.ts, which lists them every hour.
CREATE INDEX payment_refused ON payment (created_at) WHERE state = 'refused';

-- The automatic top-ups of accounts.
CREATE TABLE auto_top_up (
  account_id           text PRIMARY KEY REFERENCES account (id),
  is_enabled           boolean NOT NULL,
  -- The saved card pays `amount_nano_usd` when the balance is less than this.
  threshold_nano_usd   bigint NOT NULL CHECK (threshold_nano_usd > 0),
  amount_nano_usd      bigint NOT NULL CHECK (amount_nano_usd > 0),
  -- The most that it pays in a month (UTC).
  monthly_cap_nano_usd bigint NOT NULL CHECK (monthly_cap_nano_usd >= amount_nano_usd),
  -- When somebody last set it. Payments that failed earlier do not stop it.
  set_at               timestamptz(6) NOT NULL,
  -- When the balance was last compared.
  checked_at           timestamptz(6) NOT NULL
);

CREATE INDEX auto_top_up_checked_at ON auto_top_up (checked_at) WHERE is_enabled;

-- To whom an account's statements are issued.
CREATE TABLE billing_profile (
  account_id text PRIMARY KEY REFERENCES account (id),
  name       text NOT NULL,
  address    text NOT NULL,
  tax_id     text NOT NULL
);

-- The statements of accounts: one for a month and account. Their numbers have no gaps.
CREATE TABLE statement (
  number     bigint PRIMARY KEY CHECK (number > 0),
  account_id text NOT NULL REFERENCES account (id),
  -- Its first day (UTC).
  month      date NOT NULL,
  issued_at  timestamptz(6) NOT NULL,
  -- The message Statement as JSON.
  document   json NOT NULL
);

CREATE UNIQUE INDEX statement_account_month ON statement (account_id, month);

-- The number of the next statement. One row.
CREATE TABLE statement_counter (
  id   boolean PRIMARY KEY DEFAULT true CHECK (id),
  next bigint NOT NULL
);

INSERT INTO statement_counter (next) VALUES (1);

-- A statement never changes.
CREATE FUNCTION refuse_statement_change() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'statements never change'; END $$;
CREATE TRIGGER statement_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON statement
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_statement_change();

-- Codes that were created together.
CREATE TABLE credit_code_batch (
  id              text PRIMARY KEY,
  name            text NOT NULL,
  -- Of each code.
  credit_nano_usd bigint NOT NULL CHECK (credit_nano_usd > 0),
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  expires_at      timestamptz(6) NOT NULL,
  revoked_at      timestamptz(6)
);

-- Codes that add credit to the account that redeems them. Their texts are not stored: only their SHA-256.
CREATE TABLE credit_code (
  id              text PRIMARY KEY,
  batch_id        text NOT NULL REFERENCES credit_code_batch (id),
  code_hash       bytea NOT NULL CHECK (octet_length(code_hash) = 32),
  credit_nano_usd bigint NOT NULL CHECK (credit_nano_usd > 0),
  expires_at      timestamptz(6) NOT NULL,
  revoked_at      timestamptz(6),
  -- The account that has redeemed it. NULL: none. Final.
  account_id      text REFERENCES account (id),
  redeemed_at     timestamptz(6),
  CHECK ((account_id IS NULL) = (redeemed_at IS NULL))
);

CREATE UNIQUE INDEX credit_code_hash ON credit_code (code_hash);
-- An account redeems one code of a batch.
CREATE UNIQUE INDEX credit_code_batch_account ON credit_code (batch_id, account_id);

-- The number of codes that are not valid which an account has entered since `since`.
CREATE TABLE code_failure (
  account_id text PRIMARY KEY,
  failures   integer NOT NULL,
  since      timestamptz(6) NOT NULL
);

CREATE INDEX code_failure_since ON code_failure (since);

-- The customers of accounts at Stripe.
CREATE TABLE payment_customer (
  account_id  text PRIMARY KEY REFERENCES account (id),
  -- Stripe's id.
  customer_id text NOT NULL,
  created_at  timestamptz(6) NOT NULL DEFAULT now()
);

-- The events of Stripe of the last 30 days. A handled event is not handled again.
CREATE TABLE stripe_event (
  id          text PRIMARY KEY,
  type        text NOT NULL,
  -- The PaymentIntent that it is about. Empty: none.
  intent_id   text NOT NULL,
  received_at timestamptz(6) NOT NULL DEFAULT now(),
  -- NULL until it is handled: Stripe repeats it.
  handled_at  timestamptz(6)
);

CREATE INDEX stripe_event_received_at ON stripe_event (received_at);
-- For verify-payments.ts, which lists them every hour.
CREATE INDEX stripe_event_unhandled ON stripe_event (received_at) WHERE handled_at IS NULL;

-- The changes that operators made.
CREATE TABLE audit_record (
  id           text PRIMARY KEY,
  at           timestamptz(6) NOT NULL DEFAULT now(),
  actor_kind   text NOT NULL CHECK (actor_kind IN ('operator', 'member', 'token', 'local')),
  actor_id     text NOT NULL,
  -- Empty for a member, whose name is in "operator".
  actor_name   text NOT NULL,
  -- The rpc.
  action       text NOT NULL,
  subject_kind text NOT NULL,
  subject_id   text NOT NULL,
  -- Empty for a change that concerns no account.
  account_id   text NOT NULL DEFAULT '',
  -- The changed members.
  before       json NOT NULL,
  after        json NOT NULL,
  -- Of a change that may be repeated: what makes it the same one.
  reference    text
);

CREATE INDEX audit_record_account_id ON audit_record (account_id, id);
-- For the export of a person's data.
CREATE INDEX audit_record_actor_id ON audit_record (actor_id, id);
CREATE UNIQUE INDEX audit_record_reference ON audit_record (action, subject_id, reference);

-- The providers' keys that operators store. A value is sealed by AES-256-GCM under a data key of its own,
-- which a key of TOLLGATE_SECRETS_KEY wraps.
CREATE TABLE provider_secret (
  name         text PRIMARY KEY,
  -- Changes with the value, and when the data key is wrapped again.
  version      text NOT NULL,
  ciphertext   bytea NOT NULL,
  wrapped_key  bytea NOT NULL,
  -- Which key wraps the data key.
  key_id       text NOT NULL,
  -- The start and the end of the value, for people.
  hint         text NOT NULL,
  -- Who set the value.
  set_by_kind  text NOT NULL CHECK (set_by_kind IN ('operator', 'token', 'local')),
  set_by       text NOT NULL,
  set_at       timestamptz(6) NOT NULL,
  -- When it was last sent to a provider.
  last_used_at timestamptz(6)
);

-- The prompts and responses of accounts that store them (tollgate.v1.RequestContent), sealed as the keys of
-- providers are, under TOLLGATE_CONTENT_KEY.
CREATE TABLE request_content (
  request_id  text PRIMARY KEY,
  account_id  text NOT NULL,
  stored_at   timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  ciphertext  bytea NOT NULL,
  wrapped_key bytea NOT NULL,
  key_id      text NOT NULL,
  -- Of the ciphertext.
  bytes       integer NOT NULL
);

-- What is encrypted cannot be compressed.
ALTER TABLE request_content ALTER COLUMN ciphertext SET STORAGE EXTERNAL;

CREATE INDEX request_content_account_id ON request_content (account_id, stored_at, request_id) INCLUDE (bytes);

-- The texts of the catalog that were published. A row never changes.
CREATE TABLE catalog_revision (
  revision          bigint PRIMARY KEY CHECK (revision > 0),
  text              text NOT NULL,
  -- How many models and providers it has.
  models            integer NOT NULL,
  providers         integer NOT NULL,
  published_at      timestamptz(6) NOT NULL DEFAULT now(),
  author_kind       text NOT NULL CHECK (author_kind IN ('operator', 'token', 'local')),
  author_id         text NOT NULL,
  author_name       text NOT NULL,
  reason            text NOT NULL,
  -- The revision whose text it has again.
  restores_revision bigint REFERENCES catalog_revision (revision)
);

CREATE FUNCTION keep_catalog_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a revision of the catalog never changes';
END;
$$;

CREATE TRIGGER catalog_revision_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON catalog_revision
  EXECUTE FUNCTION keep_catalog_revision();

-- The text that processes check before it is published. The row is a lease: there is one candidate at a time.
CREATE TABLE catalog_candidate (
  -- Always true, so that there is one row.
  is_only    boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  id         text NOT NULL,
  text       text NOT NULL,
  expires_at timestamptz(6) NOT NULL
);

-- The processes that use the catalog. A row is written every few seconds and lost in a crash.
CREATE UNLOGGED TABLE catalog_process (
  process_id       text PRIMARY KEY,
  name             text NOT NULL,
  services         text[] NOT NULL,
  source           text NOT NULL CHECK (source IN ('file', 'database')),
  -- What it serves. 0 for none, and for a file.
  revision         bigint NOT NULL,
  text_hash        text NOT NULL,
  -- What it refuses: NULL where it refuses nothing.
  refused_revision bigint,
  refused_hash     text,
  refused_reason   text,
  -- The candidate that it has checked, and why it cannot serve it. Empty for none.
  candidate_id     text NOT NULL,
  candidate_error  text NOT NULL,
  seen_at          timestamptz(6) NOT NULL DEFAULT now()
);

CREATE INDEX catalog_process_name ON catalog_process (name);

-- How many requests were refused, by the hour in which the edge reported them.
CREATE TABLE refusal_hour (
  -- Empty for requests without a valid key.
  account_id text NOT NULL,
  hour       timestamptz(6) NOT NULL,
  code       text NOT NULL,
  requests   bigint NOT NULL CHECK (requests > 0),
  PRIMARY KEY (account_id, hour, code)
);

CREATE INDEX refusal_hour_hour ON refusal_hour (hour);

-- Records of refused requests: bounded per minute (record-refusals.ts), and deleted after some days.
CREATE TABLE refusal (
  -- The ids of requests ascend with their times.
  request_id        text PRIMARY KEY,
  refused_at        timestamptz(6) NOT NULL,
  recorded_at       timestamptz(6) NOT NULL DEFAULT now(),
  status            integer NOT NULL,
  code              text NOT NULL,
  message           text NOT NULL,
  param             text NOT NULL,
  method            text NOT NULL,
  route             text NOT NULL,
  alias             text NOT NULL,
  -- Empty without a known key.
  account_id        text NOT NULL,
  key_id            text NOT NULL,
  shown_key         text NOT NULL,
  client_address    text NOT NULL,
  user_agent        text NOT NULL,
  client_request_id text NOT NULL
);

CREATE INDEX refusal_account_id ON refusal (account_id, request_id);
-- For lists of all accounts, by key or by error code.
CREATE INDEX refusal_key_id ON refusal (key_id, request_id) WHERE key_id <> '';
CREATE INDEX refusal_code ON refusal (code, request_id);
CREATE INDEX refusal_recorded_at ON refusal (recorded_at) INCLUDE (account_id);
CREATE INDEX refusal_client_request_id ON refusal (client_request_id)
  WHERE client_request_id <> '';
