-- Takes holds, each of min(estimate, available) nano-USD, in the order of the arrays: within a
-- wallet, a hold gets what those before it left. Nothing available, or no wallet: no hold is
-- written. Nor is one of the `wholes` where less than its estimate is available. Each hold expires
-- after `hold_ms` milliseconds.
--
-- A hold that has one of the `leasts` below its estimate takes at most an eighth of what is
-- available, in whole micro-USD as every charge is, but at least that: what it does not need yet stays available to other requests, and to
-- its own growth (grow_hold).
--
-- Returns one row per hold, in the same order: `granted`, zero where there is no hold,
-- `wallet_held`, what all holds of the wallet reserve, this one included, and `wallet_balance`.
--
-- Locks: the wallets first, in order of account id, as every function here does. What is read after
-- the lock is what every other writer of these wallets has committed, so that two replicas never
-- grant the same money.
--
-- Commits asynchronously (synchronous_commit = off). A database that crashes may lose the holds of
-- its last moments, and the wallets' held amounts with them, so that both still agree: the requests
-- settle as those of expired holds do. Entries always commit synchronously.
--
-- A loop over small statements: one statement with nested window functions takes longer to plan
-- than all of these to run.
-- A wallet that is locked for longer than 100 ms fails the call: see src/wallet-locks.ts.
CREATE OR REPLACE FUNCTION take_holds(
  hold_ids text[], account_ids text[], estimates bigint[], leasts bigint[], wholes boolean[],
  hold_ms bigint
)
RETURNS TABLE (granted bigint, wallet_held bigint, wallet_balance bigint) LANGUAGE plpgsql AS $$
DECLARE
  request record;
  owner text;
  balance bigint;
  available bigint;
  held bigint;
  amount bigint;
  -- What was decided, by the requests' positions in the arrays.
  amounts bigint[] := '{}';
  wallets_held bigint[] := '{}';
  balances bigint[] := '{}';
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '100ms', true);
  PERFORM FROM wallet WHERE account_id = ANY (account_ids) ORDER BY account_id FOR UPDATE;
  FOR request IN
    SELECT account_id, estimate, lowest, is_whole, ordinality::int AS position
    FROM unnest(account_ids, estimates, leasts, wholes) WITH ORDINALITY
      AS requested (account_id, estimate, lowest, is_whole, ordinality)
    ORDER BY account_id, ordinality
  LOOP
    IF owner IS DISTINCT FROM request.account_id THEN
      owner := request.account_id;
      SELECT balance_nano_usd, held_nano_usd INTO balance, held
        FROM wallet WHERE account_id = owner;
      balance := coalesce(balance, 0);
      held := coalesce(held, 0);
      available := balance - held;
    END IF;
    amount := CASE
      WHEN request.is_whole AND available < request.estimate THEN 0
      ELSE least(request.estimate, greatest(request.lowest, available / 8000 * 1000), available)
    END;
    available := available - amount;
    held := held + amount;
    amounts[request.position] := amount;
    wallets_held[request.position] := held;
    balances[request.position] := balance;
  END LOOP;
  -- The trigger of `hold` adds the amounts to the wallets' held_nano_usd (apply_holds).
  INSERT INTO hold (id, account_id, amount_nano_usd, expires_at)
  SELECT id, account_id, taken, now() + hold_ms * interval '1 millisecond'
  FROM unnest(hold_ids, account_ids, amounts) AS decided (id, account_id, taken)
  WHERE taken > 0;
  RETURN QUERY SELECT * FROM unnest(amounts, wallets_held, balances);
END $$;
