-- A conversation belongs to the key that began it: the same id under another key is another one.
CREATE TABLE conversation (
  key_id          text NOT NULL,
  id              text NOT NULL,
  account_id      text NOT NULL,
  model           text NOT NULL,
  turn_count      integer NOT NULL,
  -- The tokens of all turns together, as the last one's provider counted them.
  context_tokens  bigint NOT NULL,
  -- Sizes of all turns together, for the hold's estimate.
  text_bytes      bigint NOT NULL,
  text_characters bigint NOT NULL,
  messages        integer NOT NULL,
  image_parts     integer NOT NULL,
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  last_active_at  timestamptz(6) NOT NULL DEFAULT now(),
  -- A tombstone: the id is never used again, and nothing of the content is left.
  deleted_at      timestamptz(6),
  PRIMARY KEY (key_id, id)
);

CREATE INDEX conversation_last_active ON conversation (key_id, last_active_at DESC, id)
  WHERE deleted_at IS NULL;

CREATE TABLE turn (
  key_id          text NOT NULL,
  conversation_id text NOT NULL,
  index           integer NOT NULL,
  -- JSON, as the client sent it and as it will be sent again.
  messages        text NOT NULL,
  response        text NOT NULL,
  usage           text NOT NULL,
  model           text NOT NULL,
  request_id      text NOT NULL,
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (key_id, conversation_id, index),
  FOREIGN KEY (key_id, conversation_id) REFERENCES conversation (key_id, id)
);

-- Who works on a conversation. A lease: a holder that dies loses it.
CREATE TABLE session_lock (
  key_id          text NOT NULL,
  conversation_id text NOT NULL,
  holder          text NOT NULL,
  lease_until     timestamptz(6) NOT NULL,
  PRIMARY KEY (key_id, conversation_id)
);

-- Deleted conversations whose ledger entries still have to be unlinked.
CREATE TABLE pending_unlink (
  link       text PRIMARY KEY,
  account_id text NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT now()
);
