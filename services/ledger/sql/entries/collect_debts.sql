-- Collects the debts of up to 1,000 accounts whose wallets have an available balance, such as money
-- that a request held at the time of the reversal and has released. Replicas may call it at the
-- same time.
-- Returns the number of accounts that paid something.
-- Locks: the wallets first, in order of account id. A wallet that is locked is left to a later
-- call.
CREATE OR REPLACE FUNCTION collect_debts() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  owner text;
  collected integer := 0;
BEGIN
  FOR owner IN
    SELECT w.account_id FROM wallet w
    WHERE w.account_id IN (
        SELECT r.account_id FROM reversal r
        WHERE r.taken_nano_usd < r.amount_nano_usd AND NOT r.is_undone)
      AND w.balance_nano_usd > w.held_nano_usd
    ORDER BY w.account_id LIMIT 1000 FOR UPDATE SKIP LOCKED
  LOOP
    IF collect_debt(owner, now()) > 0 THEN
      collected := collected + 1;
    END IF;
  END LOOP;
  RETURN collected;
END $$;
