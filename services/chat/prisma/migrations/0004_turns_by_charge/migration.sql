-- A request with an idempotency key may be run again, under the same charge id. Its turn is stored
-- once, with what another run needs to answer as the first did.
ALTER TABLE turn
  ADD COLUMN charge_id text,
  ADD COLUMN answer    text;

CREATE UNIQUE INDEX turn_charge ON turn (key_id, conversation_id, charge_id)
  WHERE charge_id IS NOT NULL;
