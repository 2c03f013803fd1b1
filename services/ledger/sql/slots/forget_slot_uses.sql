-- Deletes the calls of slots whose processes died, and the minutes of accounts that call a slot no
-- more. The row of all accounts of a slot stays: calls are counted under its lock.
CREATE OR REPLACE FUNCTION forget_slot_uses() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM slot_use WHERE id IN (
    SELECT id FROM slot_use WHERE expires_at < now() FOR UPDATE SKIP LOCKED);
  DELETE FROM slot_load WHERE account_id <> '' AND (slot_id, account_id) IN (
    SELECT slot_id, account_id FROM slot_load
      WHERE account_id <> '' AND asked_at < now() - interval '2 minutes' FOR UPDATE SKIP LOCKED);
END $$;
