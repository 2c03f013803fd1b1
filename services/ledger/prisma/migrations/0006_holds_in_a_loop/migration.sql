-- Takes holds of min(estimate, available), in their order: within a wallet each is served from what
-- those before it left. Wallets are locked first and by id, as everywhere; what is read after the
-- lock is what every other writer of these wallets has committed, so that two replicas never grant
-- the same money. A grant of zero is no hold.
--
-- A loop over small statements: one statement with windows over windows takes longer to set up than
-- all of them to run.
--
-- A hold's commit is not waited for on disk. A database that crashes may forget the holds of its
-- last moments, the wallet's share with them, so nothing falls apart: their calls settle as those
-- of expired holds do. Entries are always waited for.
CREATE OR REPLACE FUNCTION take_holds(
  hold_ids text[], account_ids text[], estimates bigint[], hold_ms bigint
)
RETURNS TABLE (granted bigint, wallet_held bigint) LANGUAGE plpgsql AS $$
DECLARE
  o record;
  owner text;
  free bigint;
  held bigint;
  amount bigint;
  -- What was decided, by the orders' places.
  amounts bigint[] := '{}';
  wallets_held bigint[] := '{}';
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM FROM wallet WHERE account_id = ANY (account_ids) ORDER BY account_id FOR UPDATE;
  FOR o IN
    SELECT account_id, estimate, ordinality::int AS place
    FROM unnest(account_ids, estimates) WITH ORDINALITY
      AS asked (account_id, estimate, ordinality)
    ORDER BY account_id, ordinality
  LOOP
    IF owner IS DISTINCT FROM o.account_id THEN
      owner := o.account_id;
      SELECT balance_nano_usd - held_nano_usd, held_nano_usd INTO free, held
        FROM wallet WHERE account_id = owner;
      free := coalesce(free, 0);
      held := coalesce(held, 0);
    END IF;
    amount := least(o.estimate, free);
    free := free - amount;
    held := held + amount;
    amounts[o.place] := amount;
    wallets_held[o.place] := held;
  END LOOP;
  INSERT INTO hold (id, account_id, amount_nano_usd, expires_at)
  SELECT id, account_id, taken, now() + hold_ms * interval '1 millisecond'
  FROM unnest(hold_ids, account_ids, amounts) AS decided (id, account_id, taken)
  WHERE taken > 0;
  RETURN QUERY SELECT * FROM unnest(amounts, wallets_held);
END $$;
