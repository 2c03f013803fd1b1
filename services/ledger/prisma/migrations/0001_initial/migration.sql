-- The ledger's tables and their triggers. The functions are in ../../../sql, one a file.

-- An account's money, nano-USD. The balance includes what is held; available is balance - held.
-- Triggers alone write it: the balance is the sum of the account's entries, and what is held is the
-- sum of its holds.
CREATE TABLE wallet (
  account_id       text PRIMARY KEY,
  balance_nano_usd bigint NOT NULL CHECK (balance_nano_usd >= 0),
  held_nano_usd    bigint NOT NULL CHECK (held_nano_usd >= 0),
  created_at       timestamptz(6) NOT NULL DEFAULT now(),
  -- Whether the account or one of its keys has a usage_limit: only then are they looked up.
  has_limits       boolean NOT NULL DEFAULT false,
  -- Whose days, weeks and months are the periods of budgets: an IANA name.
  time_zone        text NOT NULL DEFAULT 'UTC',
  CHECK (balance_nano_usd - held_nano_usd >= 0)
);

-- Money set aside for a request, or for many requests that share the hold. Deleted when it is
-- captured, released or expired.
CREATE TABLE hold (
  id              text PRIMARY KEY,
  account_id      text NOT NULL,
  -- Zero where the request costs nothing and has limits.
  amount_nano_usd bigint NOT NULL CHECK (amount_nano_usd >= 0),
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  expires_at      timestamptz(6) NOT NULL,
  -- True while requests may still take a part of it.
  is_shared       boolean NOT NULL DEFAULT false,
  -- Empty for a hold that keys without limits share.
  key_id          text NOT NULL DEFAULT '',
  -- The end user whom its request names, hashed. Empty: none.
  end_user        text NOT NULL DEFAULT '',
  -- What it counts against limits: requests and tokens in the second of `created_at`, and requests
  -- in progress.
  requests        bigint NOT NULL DEFAULT 0 CHECK (requests >= 0),
  tokens          bigint NOT NULL DEFAULT 0 CHECK (tokens >= 0),
  in_progress     bigint NOT NULL DEFAULT 0 CHECK (in_progress >= 0),
  -- The model of its request or job.
  alias           text NOT NULL DEFAULT '',
  -- The job that it is kept for (keep_hold). Empty: it is a request's.
  job_id          text NOT NULL DEFAULT '',
  -- Those of the model, where the loss of the request is recorded (lost_request). Empty: it is not.
  route_type      text NOT NULL DEFAULT '',
  unit_type       text NOT NULL DEFAULT ''
);

CREATE INDEX hold_expires_at ON hold (expires_at);
CREATE INDEX hold_shared ON hold (account_id) WHERE is_shared;

-- The requests whose holds have expired, because their process died, until they have an entry
-- (record_lost_requests). `id` is the hold's, and that of the request and its usage event.
CREATE TABLE lost_request (
  id         text PRIMARY KEY,
  account_id text NOT NULL,
  key_id     text NOT NULL,
  end_user   text NOT NULL,
  route_type text NOT NULL,
  alias      text NOT NULL,
  unit_type  text NOT NULL,
  begun_at   timestamptz(6) NOT NULL,
  -- From then on, its usage event is not expected any more.
  due_at     timestamptz(6) NOT NULL
);

CREATE INDEX lost_request_due_at ON lost_request (due_at);

-- The limits of a key, of an account: of all its keys together, or of an end user of a key. The lock of the
-- account's wallet covers them. NULL: unlimited.
CREATE TABLE usage_limit (
  -- The id of the key or the account; of an end user, see end_user_owner_id.
  owner_id            text PRIMARY KEY,
  account_id          text NOT NULL,
  -- Of an end user: the key, and the user as in `hold`. NULL for a key or an account. The row begins with
  -- the user's first hold (open_end_users), and has the limits that the key has for each of its users.
  key_id              text,
  end_user            text,
  budget_nano_usd     bigint,
  budget_period       text,
  -- The period in which the owner spent `spent_nano_usd`. A later one begins with nothing spent. A total
  -- budget has one from -infinity to infinity.
  period_start        timestamptz(6),
  period_end          timestamptz(6),
  -- That of the wallet. The period after this one is of this zone.
  time_zone           text NOT NULL DEFAULT 'UTC',
  spent_nano_usd      bigint NOT NULL DEFAULT 0,
  -- The sums of the owner's holds. Triggers alone write them, as they write the wallet's.
  held_nano_usd       bigint NOT NULL DEFAULT 0,
  in_progress         bigint NOT NULL DEFAULT 0,
  parallel            bigint,
  requests_per_minute bigint,
  tokens_per_minute   bigint,
  -- The limits that a key has for each of its end users.
  user_budget_nano_usd     bigint,
  user_budget_period       text,
  user_requests_per_minute bigint,
  -- What was used in each of the last 61 seconds: a minute that begins within a second ends within
  -- another. The second of an element is that of its `counted_at`, at or after the last time that it
  -- counted.
  requests            bigint[] NOT NULL DEFAULT array_fill(0::bigint, ARRAY[61]),
  tokens              bigint[] NOT NULL DEFAULT array_fill(0::bigint, ARRAY[61]),
  counted_at          timestamptz(6)[] NOT NULL
    DEFAULT array_fill('-infinity'::timestamptz, ARRAY[61]),
  -- Few constraints, since each statement that updates a row parses all of them.
  CHECK (least(spent_nano_usd, held_nano_usd, in_progress) >= 0),
  CHECK (least(budget_nano_usd, parallel, requests_per_minute, tokens_per_minute,
    user_budget_nano_usd, user_requests_per_minute) > 0),
  CHECK (num_nulls(budget_nano_usd, budget_period, period_start, period_end) IN (0, 4)),
  CHECK (budget_period IN ('day', 'week', 'month', 'total'))
) WITH (fillfactor = 70);

CREATE INDEX usage_limit_account_id ON usage_limit (account_id);
CREATE INDEX usage_limit_end_user ON usage_limit (key_id) WHERE key_id IS NOT NULL;

-- The append-only history of all wallets, partitioned by the month (UTC) of `recorded_at`. The
-- ledger creates the months ahead (create_entry_partition). What must be true of all entries, also
-- of those whose month was detached, has tables of its own: recorded_event, charge, credit and the
-- sums below.
CREATE TABLE entry (
  id                   text NOT NULL,
  event_id             text NOT NULL,
  account_id           text NOT NULL,
  key_id               text NOT NULL,
  -- The end user whom the request names, hashed. Empty: none.
  end_user             text NOT NULL DEFAULT '',
  kind                 text NOT NULL CHECK (kind IN ('usage', 'failure', 'top_up', 'adjustment')),
  -- What the entry adds to the balance: negative for a charge.
  amount_nano_usd      bigint NOT NULL,
  cost_nano_usd        bigint NOT NULL CHECK (cost_nano_usd >= 0),
  -- The part of the cost that was not charged.
  uncollected_nano_usd bigint NOT NULL CHECK (uncollected_nano_usd >= 0),
  -- What the provider charges the operator. NULL where the catalog did not say.
  provider_cost_nano_usd bigint CHECK (provider_cost_nano_usd >= 0),
  -- The plan at whose prices the usage is priced. Empty: the list prices.
  plan                 text NOT NULL DEFAULT '',
  request_id           text NOT NULL,
  route_type           text NOT NULL,
  alias                text NOT NULL,
  provider             text NOT NULL,
  upstream_model       text NOT NULL,
  unit_type            text NOT NULL,
  quantity             bigint NOT NULL CHECK (quantity >= 0),
  basis                text NOT NULL,
  -- Recorded and not priced.
  corpus_size          bigint NOT NULL DEFAULT 0 CHECK (corpus_size >= 0),
  prompt_tokens        bigint NOT NULL,
  completion_tokens    bigint NOT NULL,
  cached_prompt_tokens bigint NOT NULL,
  -- What the cost consists of: [[dimension, quantity, price_pico_usd, per, amount_nano_usd], ...],
  -- with the numbers as decimal strings, as in the JSON of a protobuf message. The amounts sum to
  -- the cost of the usage: cost_nano_usd, which is zero in an entry that repeats a charge. Of type
  -- json, and without names, since every request writes it and nothing searches it.
  lines                json NOT NULL DEFAULT '[]',
  -- The provider's own usage block as JSON, at most 4 KiB. NULL where it reported none, or a longer
  -- one.
  provider_usage       text CHECK (octet_length(provider_usage) <= 4096),
  -- The conversation that the usage belongs to, until it is deleted.
  conversation_id      text,
  -- The charge id that this entry charges. NULL in an entry that repeats a charge.
  charge_id            text,
  -- A top-up's or an adjustment's own reference, or the charge id that this entry repeats, or empty.
  reference            text NOT NULL,
  -- Why an adjustment was made.
  reason               text,
  occurred_at          timestamptz(6) NOT NULL,
  recorded_at          timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (id, recorded_at),
  CHECK (CASE kind
    WHEN 'usage' THEN
      amount_nano_usd <= 0 AND cost_nano_usd = uncollected_nano_usd - amount_nano_usd
    WHEN 'failure' THEN amount_nano_usd = 0 AND cost_nano_usd = 0
    WHEN 'adjustment' THEN amount_nano_usd <> 0
    ELSE amount_nano_usd > 0
  END),
  CHECK ((kind = 'adjustment') = (reason IS NOT NULL))
) PARTITION BY RANGE (recorded_at);

-- Takes the entries of a month that has no partition, so that none is ever refused.
CREATE TABLE entry_default PARTITION OF entry DEFAULT;

-- The starts of the months (UTC) that got a partition, to know those that were detached.
CREATE TABLE entry_month (
  month      timestamptz(6) PRIMARY KEY,
  created_at timestamptz(6) NOT NULL DEFAULT now()
);

-- Pages of an account's entries, and the spend of a part of an hour, from the index alone.
CREATE INDEX entry_account_recorded_at ON entry (account_id, recorded_at, id)
  INCLUDE (kind, amount_nano_usd);
CREATE INDEX entry_request_id ON entry (request_id);
-- What an end user of a key was charged (sum_end_user_charges).
CREATE INDEX entry_end_user ON entry (key_id, end_user, recorded_at)
  INCLUDE (kind, amount_nano_usd) WHERE end_user <> '';
-- Pages of an end user's requests.
CREATE INDEX entry_end_user_recorded_at ON entry (end_user, recorded_at, id) WHERE end_user <> '';
-- Pages of top-ups, adjustments or failures, which are few among the entries.
CREATE INDEX entry_account_not_usage ON entry (account_id, recorded_at, id) INCLUDE (kind)
  WHERE kind <> 'usage';
CREATE INDEX entry_not_usage ON entry (id) INCLUDE (kind) WHERE kind <> 'usage';
-- The bases of fallbacks: fallback-bases.ts. Few entries have one.
CREATE INDEX entry_fallback ON entry (recorded_at) INCLUDE (alias, basis) WHERE basis IN (
  'approx4', 'file_bytes', 'file_parts', 'input_pages', 'input_tokens', 'page_tree', 'pcm_bytes',
  'wall_clock', 'wav_header');
CREATE INDEX entry_conversation_id ON entry (conversation_id) WHERE conversation_id IS NOT NULL;

-- The events that have an entry. Makes capture exactly once. `entry_id` and `recorded_at` are the
-- entry's, here and below.
CREATE TABLE recorded_event (
  event_id    text PRIMARY KEY,
  entry_id    text NOT NULL,
  recorded_at timestamptz(6) NOT NULL
);

-- What each charge id was charged. A charge id is charged once, however often its request runs.
CREATE TABLE charge (
  charge_id        text PRIMARY KEY,
  charged_nano_usd bigint NOT NULL CHECK (charged_nano_usd >= 0),
  entry_id         text NOT NULL,
  recorded_at      timestamptz(6) NOT NULL
);

-- What each reference of an account's top-ups added. A reference is credited once.
CREATE TABLE credit (
  account_id        text NOT NULL,
  reference         text NOT NULL,
  credited_nano_usd bigint NOT NULL CHECK (credited_nano_usd > 0),
  entry_id          text NOT NULL,
  recorded_at       timestamptz(6) NOT NULL,
  PRIMARY KEY (account_id, reference)
);

-- The top-ups of a period.
CREATE INDEX credit_recorded_at ON credit (recorded_at);

-- What each reference of an account's adjustments added: less than zero where it took money away. A
-- reference is applied once.
CREATE TABLE adjustment (
  account_id      text NOT NULL,
  reference       text NOT NULL,
  amount_nano_usd bigint NOT NULL CHECK (amount_nano_usd <> 0),
  entry_id        text NOT NULL,
  recorded_at     timestamptz(6) NOT NULL,
  PRIMARY KEY (account_id, reference)
);

-- The adjustments of a period.
CREATE INDEX adjustment_recorded_at ON adjustment (recorded_at);

-- Payments that were refunded or disputed after their top-up (reverse_top_up). What the wallet does not have is a
-- debt, until it is collected (collect_debt). The lock of the account's wallet covers these rows.
CREATE TABLE reversal (
  account_id      text NOT NULL,
  -- A reversal of the same reference is applied once.
  reference       text NOT NULL,
  -- Why, for people: the reason of its adjustments.
  reason          text NOT NULL,
  amount_nano_usd bigint NOT NULL CHECK (amount_nano_usd > 0),
  -- What was debited from the wallet. The rest of the amount is the debt.
  taken_nano_usd  bigint NOT NULL CHECK (taken_nano_usd BETWEEN 0 AND amount_nano_usd),
  -- The number of adjustments that debited it.
  steps           integer NOT NULL DEFAULT 0,
  -- Whether the debited amount was credited again. Then there is no debt. Final.
  is_undone       boolean NOT NULL DEFAULT false,
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, reference)
);

CREATE INDEX reversal_owed ON reversal (account_id, created_at)
  WHERE taken_nano_usd < amount_nano_usd AND NOT is_undone;

-- What an account was charged in an hour (UTC): the sum of its usage entries.
CREATE TABLE spend_hour (
  account_id       text NOT NULL,
  hour             timestamptz(6) NOT NULL,
  charged_nano_usd bigint NOT NULL CHECK (charged_nano_usd >= 0),
  PRIMARY KEY (account_id, hour)
);

-- What each key of an account used of a model in an hour (UTC): the sums of its entries of
-- requests. The counters that no wallet limits are numeric: their sums exceed a bigint before a
-- single event does. Updates change no indexed column, so that pages with room take them in place.
CREATE TABLE usage_hour (
  account_id           text NOT NULL,
  hour                 timestamptz(6) NOT NULL,
  key_id               text NOT NULL,
  alias                text NOT NULL,
  -- Empty where none served the request.
  provider             text NOT NULL,
  route_type           text NOT NULL,
  unit_type            text NOT NULL,
  -- Empty for the list prices.
  plan                 text NOT NULL,
  -- Entries, failures included.
  requests             bigint NOT NULL,
  failed_requests      bigint NOT NULL,
  -- In units of unit_type.
  quantity             numeric NOT NULL,
  prompt_tokens        numeric NOT NULL,
  cached_prompt_tokens numeric NOT NULL,
  completion_tokens    numeric NOT NULL,
  cost_nano_usd        numeric NOT NULL,
  charged_nano_usd     bigint NOT NULL,
  uncollected_nano_usd numeric NOT NULL,
  -- What providers charge, and what was charged, for the requests whose provider cost is known.
  provider_cost_nano_usd numeric NOT NULL,
  costed_charge_nano_usd bigint NOT NULL,
  PRIMARY KEY (account_id, hour, key_id, alias, provider, route_type, unit_type, plan)
) WITH (fillfactor = 80);

CREATE INDEX usage_hour_hour ON usage_hour (hour);

-- The same for a day (UTC): a report of a month reads few rows.
CREATE TABLE usage_day (
  account_id           text NOT NULL,
  day                  timestamptz(6) NOT NULL,
  key_id               text NOT NULL,
  alias                text NOT NULL,
  provider             text NOT NULL,
  route_type           text NOT NULL,
  unit_type            text NOT NULL,
  plan                 text NOT NULL,
  requests             bigint NOT NULL,
  failed_requests      bigint NOT NULL,
  quantity             numeric NOT NULL,
  prompt_tokens        numeric NOT NULL,
  cached_prompt_tokens numeric NOT NULL,
  completion_tokens    numeric NOT NULL,
  cost_nano_usd        numeric NOT NULL,
  charged_nano_usd     bigint NOT NULL,
  uncollected_nano_usd numeric NOT NULL,
  provider_cost_nano_usd numeric NOT NULL,
  costed_charge_nano_usd bigint NOT NULL,
  PRIMARY KEY (account_id, day, key_id, alias, provider, route_type, unit_type, plan)
) WITH (fillfactor = 80);

CREATE INDEX usage_day_day ON usage_day (day);
CREATE INDEX usage_day_key_id ON usage_day (key_id, day);

-- The same for each end user, of the entries that have one.
CREATE TABLE end_user_day (
  account_id           text NOT NULL,
  day                  timestamptz(6) NOT NULL,
  end_user             text NOT NULL,
  key_id               text NOT NULL,
  alias                text NOT NULL,
  provider             text NOT NULL,
  route_type           text NOT NULL,
  unit_type            text NOT NULL,
  plan                 text NOT NULL,
  requests             bigint NOT NULL,
  failed_requests      bigint NOT NULL,
  quantity             numeric NOT NULL,
  prompt_tokens        numeric NOT NULL,
  cached_prompt_tokens numeric NOT NULL,
  completion_tokens    numeric NOT NULL,
  cost_nano_usd        numeric NOT NULL,
  charged_nano_usd     bigint NOT NULL,
  uncollected_nano_usd numeric NOT NULL,
  provider_cost_nano_usd numeric NOT NULL,
  costed_charge_nano_usd bigint NOT NULL,
  PRIMARY KEY (account_id, day, end_user, key_id, alias, provider, route_type, unit_type, plan)
) WITH (fillfactor = 80);

CREATE INDEX end_user_day_day ON end_user_day (day);

-- What the entries of a conversation charge, until it is deleted.
CREATE TABLE conversation_spend (
  conversation_id  text NOT NULL,
  account_id       text NOT NULL,
  entries          bigint NOT NULL,
  charged_nano_usd bigint NOT NULL,
  PRIMARY KEY (conversation_id, account_id)
);

-- Deleted conversations. A usage event that arrives after the deletion is not linked.
CREATE TABLE deleted_conversation (
  conversation_id text PRIMARY KEY,
  deleted_at      timestamptz(6) NOT NULL DEFAULT now()
);

-- How the request of an entry went: the slots that were tried, and how long it took. The newest days
-- are stored: see create_trail_partitions. Of type json, and without names, since every request writes
-- it and nothing searches it:
-- [[[provider, upstream_model, started_ms, duration_ms, error_code, status, ...], ...],
--  duration_ms, first_token_ms or null, error_code, trace_id, held_nano_usd, is_streamed, ...]
-- src/request-trail.ts lists the rest.
CREATE TABLE request_trail (
  entry_id    text NOT NULL,
  recorded_at timestamptz(6) NOT NULL,
  trail       json NOT NULL,
  -- Of a request that ended with an error. NULL where it was served, so that most rows are no larger
  -- and in no index below.
  error_code  text,
  account_id  text,
  PRIMARY KEY (entry_id, recorded_at)
) PARTITION BY RANGE (recorded_at);
CREATE TABLE request_trail_default PARTITION OF request_trail DEFAULT;

-- Pages of the requests that ended with an error code: of all accounts, and of one.
CREATE INDEX request_trail_error ON request_trail (error_code, entry_id)
  WHERE error_code IS NOT NULL;
CREATE INDEX request_trail_account_error
  ON request_trail (account_id, error_code, recorded_at, entry_id) WHERE error_code IS NOT NULL;

-- Ids by which the request of an entry is found besides its own: those that its client, its providers and
-- its response gave it. Stored as long as its trail. Every request writes some, in no order, so that a
-- B-tree would cost more than all else that a capture writes: the Bloom filters of full ranges of pages
-- are made in one piece, behind the requests. find_entries_by_id reads them.
CREATE TABLE request_other_id (
  id          text NOT NULL,
  entry_id    text NOT NULL,
  recorded_at timestamptz(6) NOT NULL,
  account_id  text NOT NULL
) PARTITION BY RANGE (recorded_at);
CREATE TABLE request_other_id_default PARTITION OF request_other_id DEFAULT;

CREATE INDEX request_other_id_id ON request_other_id
  USING brin (id text_bloom_ops) WITH (autosummarize = on);

-- Slots of the catalog that an operator has disabled: requests skip them.
CREATE TABLE disabled_slot (
  slot_id     text PRIMARY KEY,
  reason      text NOT NULL,
  disabled_at timestamptz(6) NOT NULL DEFAULT now()
);

-- The open breakers of each replica, which reports them again and again: a crash may lose them.
CREATE UNLOGGED TABLE open_breaker (
  replica_id  text NOT NULL,
  slot_id     text NOT NULL,
  reported_at timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (replica_id, slot_id)
);

-- The keys that providers refuse, as each replica finds and reports again and again.
CREATE UNLOGGED TABLE refused_key (
  replica_id  text NOT NULL,
  provider    text NOT NULL,
  -- The name of its secret or its variable; empty where the provider has no key.
  key_name    text NOT NULL,
  said        text NOT NULL,
  status      integer NOT NULL,
  refused_at  timestamptz(6) NOT NULL DEFAULT now(),
  reported_at timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (replica_id, provider, key_name)
);

-- What the calls of a slot with limits have used, in each of the last 61 seconds as in usage_limit: those
-- of an account, and with an empty account_id those of all. A crash of Postgres may lose them.
CREATE UNLOGGED TABLE slot_load (
  slot_id    text NOT NULL,
  account_id text NOT NULL,
  -- When the account called the slot last, or was refused.
  asked_at   timestamptz(6) NOT NULL DEFAULT now(),
  requests   bigint[] NOT NULL DEFAULT array_fill(0::bigint, ARRAY[61]),
  tokens     bigint[] NOT NULL DEFAULT array_fill(0::bigint, ARRAY[61]),
  counted_at timestamptz(6)[] NOT NULL DEFAULT array_fill('-infinity'::timestamptz, ARRAY[61]),
  PRIMARY KEY (slot_id, account_id)
) WITH (fillfactor = 50);

-- The calls in progress of slots with limits. They expire with their process.
CREATE UNLOGGED TABLE slot_use (
  id         text PRIMARY KEY,
  slot_id    text NOT NULL,
  account_id text NOT NULL,
  -- The tokens that it counts for in the second of `begun_at`.
  tokens     bigint NOT NULL,
  begun_at   timestamptz(6) NOT NULL,
  expires_at timestamptz(6) NOT NULL
);

CREATE INDEX slot_use_slot_id ON slot_use (slot_id);

-- What is left of an owner's limits while a statement decides several requests (read_limits_left).
-- NULL: unlimited.
CREATE TYPE limits_left AS (
  owner_id            text,
  account_id          text,
  budget_left         bigint,
  parallel_left       bigint,
  requests_per_minute bigint,
  requests_left       bigint,
  requests_reset_ms   bigint,
  tokens_per_minute   bigint,
  tokens_left         bigint,
  tokens_reset_ms     bigint,
  -- What holds reserve, besides what the statement has decided to hold and not written yet.
  held_nano_usd       bigint,
  added_nano_usd      bigint,
  -- Whether a key has limits for each of its end users.
  limits_users        boolean
);

-- What a request gets of a wallet (decide_holds), nano-USD.
CREATE TYPE hold_decision AS (
  -- NULL: no hold.
  taken          bigint,
  -- What all holds of the wallet reserve, this one included.
  wallet_held    bigint,
  wallet_balance bigint,
  -- The limit for which nothing is held, and the rates that are left, as JSON. NULL: none.
  refusal        jsonb,
  rates          jsonb
);

-- What a capture of an event takes of a wallet, and of the holds of its request (read_captures).
CREATE TYPE capture AS (
  -- That of the event among the arguments of capture_usage.
  position           integer,
  account_id         text,
  key_id             text,
  end_user           text,
  -- The positions of the end user, the key and the account among the owners of limits. NULL: without limits.
  user_at            integer,
  key_at             integer,
  account_at         integer,
  cost               bigint,
  charge_limit       bigint,
  charge_id          text,
  -- Whether the charge id is charged already.
  is_repeated        boolean,
  tokens             bigint,
  own_hold_id        text,
  -- NULL if there is none, or an earlier event captures it.
  own_amount         bigint,
  -- Whether the hold counts against the limits of the key.
  own_is_of_key      boolean,
  -- Whether it counts against those of the end user.
  own_is_of_user     boolean,
  own_at             timestamptz,
  own_tokens         bigint,
  shared_hold_id     text,
  -- What the event takes of the shared hold, and of what that counts against limits.
  shared_amount      bigint,
  shared_is_of_key   boolean,
  shared_is_of_user  boolean,
  shared_at          timestamptz,
  shared_tokens      bigint,
  shared_in_progress bigint
);

-- What an event is charged (decide_charges), nano-USD. What is due and not charged is uncollected.
CREATE TYPE charge_decision AS (
  due         bigint,
  charged     bigint,
  -- Whether it repeats a charge.
  is_repeated boolean
);

-- One usage event as an argument of capture_usage. Replicas write its fields in this order: an
-- event with other fields is another type, and an argument of another function.
CREATE TYPE usage_event AS (
  id                   text,
  event_id             text,
  account_id           text,
  key_id               text,
  end_user             text,
  hold_id              text,
  shared_hold_id       text,
  shared_amount        bigint,
  shared_tokens        bigint,
  shared_in_progress   bigint,
  kind                 text,
  cost                 bigint,
  charge_limit         bigint,
  provider_cost        bigint,
  plan                 text,
  charge_id            text,
  request_id           text,
  route_type           text,
  alias                text,
  provider             text,
  upstream_model       text,
  unit_type            text,
  quantity             bigint,
  basis                text,
  corpus_size          bigint,
  prompt_tokens        bigint,
  completion_tokens    bigint,
  cached_prompt_tokens bigint,
  conversation_id      text,
  occurred_at          timestamptz,
  -- The error code with which the request ended. NULL if it was served.
  error_code           text
);

-- A trigger needs its function. These are replaced by the files in sql/ before a service starts.
CREATE FUNCTION apply_entries() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'sql/entries/apply_entries.sql is not applied'; END $$;
CREATE FUNCTION add_to_usage_sums() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'sql/entries/add_to_usage_sums.sql is not applied'; END $$;
CREATE FUNCTION add_to_end_user_sums() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'sql/entries/add_to_end_user_sums.sql is not applied'; END $$;
CREATE FUNCTION apply_holds() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'sql/holds/apply_holds.sql is not applied'; END $$;
CREATE FUNCTION mark_limited_wallets() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'sql/limits/mark_limited_wallets.sql is not applied'; END $$;
CREATE FUNCTION refuse_direct_change() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'sql/guards/refuse_direct_change.sql is not applied'; END $$;
CREATE FUNCTION refuse_entry_change() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'sql/guards/refuse_entry_change.sql is not applied'; END $$;

-- Entries and holds move their wallets.
CREATE TRIGGER entry_applied AFTER INSERT ON entry
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION apply_entries();
CREATE TRIGGER entry_summed AFTER INSERT ON entry
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION add_to_usage_sums();
CREATE TRIGGER entry_summed_by_end_user AFTER INSERT ON entry
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION add_to_end_user_sums();
CREATE TRIGGER hold_taken AFTER INSERT ON hold
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION apply_holds();
CREATE TRIGGER hold_changed AFTER UPDATE ON hold
  REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION apply_holds();
CREATE TRIGGER hold_ended AFTER DELETE ON hold
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION apply_holds();

-- A wallet knows whether there are limits.
CREATE TRIGGER usage_limit_added AFTER INSERT ON usage_limit
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_limited_wallets();
CREATE TRIGGER usage_limit_removed AFTER DELETE ON usage_limit
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_limited_wallets();

-- Entries are append-only.
CREATE TRIGGER entry_append_only BEFORE UPDATE OR DELETE ON entry
  FOR EACH ROW EXECUTE FUNCTION refuse_entry_change();
CREATE TRIGGER entry_no_truncate BEFORE TRUNCATE ON entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_entry_change();

-- These do not see what is written to a partition by its name: that is refused, here and in
-- create_entry_partition.
CREATE TRIGGER entry_default_no_direct_insert BEFORE INSERT ON entry_default
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER entry_default_no_truncate BEFORE TRUNCATE ON entry_default
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_entry_change();

-- What the triggers above write, nothing else writes.
CREATE TRIGGER wallet_opens_empty BEFORE INSERT ON wallet FOR EACH ROW
  WHEN (NEW.balance_nano_usd <> 0 OR NEW.held_nano_usd <> 0 OR NEW.has_limits)
  EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER wallet_no_direct_update
  BEFORE UPDATE OF account_id, balance_nano_usd, held_nano_usd, created_at, has_limits ON wallet
  FOR EACH ROW EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER wallet_no_delete BEFORE DELETE ON wallet
  FOR EACH ROW EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER wallet_no_truncate BEFORE TRUNCATE ON wallet
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER hold_no_truncate BEFORE TRUNCATE ON hold
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER recorded_event_no_direct_change BEFORE INSERT OR UPDATE OR DELETE ON recorded_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER charge_no_direct_change BEFORE INSERT OR UPDATE OR DELETE ON charge
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER credit_no_direct_change BEFORE INSERT OR UPDATE OR DELETE ON credit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER adjustment_no_direct_change BEFORE INSERT OR UPDATE OR DELETE ON adjustment
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER usage_limit_no_truncate BEFORE TRUNCATE ON usage_limit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER spend_hour_no_direct_change BEFORE INSERT OR UPDATE OR DELETE ON spend_hour
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER usage_hour_no_direct_change BEFORE INSERT OR UPDATE OR DELETE ON usage_hour
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER usage_day_no_direct_change BEFORE INSERT OR UPDATE OR DELETE ON usage_day
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER end_user_day_no_direct_change BEFORE INSERT OR UPDATE OR DELETE ON end_user_day
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
