-- Trigger function of `usage_limit`, after each INSERT and DELETE statement: records in the wallets
-- whether their accounts have limits (has_limits). The rows of end users change nothing: their keys
-- have limits.
-- Locks: the statement that changes the limits has locked the wallets.
CREATE OR REPLACE FUNCTION mark_limited_wallets() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner text;
BEGIN
  IF TG_OP = 'INSERT' THEN
    FOR owner IN
      SELECT DISTINCT account_id FROM new_rows WHERE key_id IS NULL ORDER BY account_id
    LOOP
      UPDATE wallet SET has_limits = true WHERE account_id = owner;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'limits need a wallet: account % has none', owner;
      END IF;
    END LOOP;
  ELSE
    FOR owner IN
      SELECT DISTINCT account_id FROM old_rows WHERE key_id IS NULL ORDER BY account_id
    LOOP
      UPDATE wallet SET has_limits = EXISTS (SELECT FROM usage_limit WHERE account_id = owner)
        WHERE account_id = owner;
    END LOOP;
  END IF;
  RETURN NULL;
END $$;
