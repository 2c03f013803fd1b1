-- Releases the holds of captures. The trigger of `hold` subtracts them from the wallets'
-- held_nano_usd, and from those of limits (apply_holds). A shared hold stays while requests may
-- take more of it.
-- Locks: the caller has locked the wallets.
CREATE OR REPLACE FUNCTION release_captured_holds(captures capture[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  own_ids text[];
  part record;
BEGIN
  own_ids := ARRAY(
    SELECT own_hold_id FROM unnest(captures) WHERE own_amount IS NOT NULL);
  -- A DELETE of nothing runs the trigger, too.
  IF own_ids <> '{}' THEN
    DELETE FROM hold WHERE id = ANY (own_ids);
  END IF;
  FOR part IN
    SELECT shared_hold_id AS id, sum(shared_amount)::bigint AS amount,
      sum(shared_tokens)::bigint AS tokens, sum(shared_in_progress)::bigint AS in_progress
    FROM unnest(captures)
    WHERE shared_hold_id IS NOT NULL
      AND greatest(shared_amount, shared_tokens, shared_in_progress) > 0
    GROUP BY shared_hold_id ORDER BY shared_hold_id
  LOOP
    PERFORM reduce_hold(part.id, part.amount, 0, part.tokens, part.in_progress);
  END LOOP;
END $$;
