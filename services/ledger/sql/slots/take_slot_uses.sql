-- Counts calls of slots with limits, or refuses them. Returns for each, in the order of the arrays,
-- how many milliseconds it must wait for a limit: 0 if it is counted. NULL is no limit.
-- Locks: the slot_load of each slot, in order, until the transaction ends. Calls of all replicas
-- take turns.
CREATE OR REPLACE FUNCTION take_slot_uses(
  ids text[], slots text[], accounts text[], token_counts bigint[],
  most_requests bigint[], most_tokens bigint[], most_parallel bigint[], lease_ms integer
)
RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  waits bigint[] := '{}';
BEGIN
  INSERT INTO slot_load (slot_id, account_id)
    SELECT DISTINCT slot_id, of.account_id
      FROM unnest(slots, accounts) AS call (slot_id, account_id),
        LATERAL (VALUES (''), (call.account_id)) AS of (account_id)
      ORDER BY 1, 2
    ON CONFLICT DO NOTHING;
  PERFORM FROM slot_load WHERE slot_id = ANY (slots) AND account_id = ''
  ORDER BY slot_id FOR UPDATE;
  FOR n IN 1 .. cardinality(ids) LOOP
    waits := waits || take_slot_use(ids[n], slots[n], accounts[n], token_counts[n],
      most_requests[n], most_tokens[n], most_parallel[n], lease_ms);
  END LOOP;
  RETURN waits;
END $$;
