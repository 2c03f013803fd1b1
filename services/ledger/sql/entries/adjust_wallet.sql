-- Adds `amount` nano-USD, which may be less than zero, to the wallet of `owner`, and opens the
-- wallet if there is none. A reference is applied once.
--
-- Returns one row: the outcome, and the wallet after it.
--   adjusted        the amount was added
--   unchanged       the reference was applied before with the same amount
--   conflict        the reference was applied before with another amount; nothing was added
--   above_maximum   the balance would exceed `max_balance`; nothing was added
--   below_available less than the amount is available; nothing was taken
-- Locks: the wallet first.
CREATE OR REPLACE FUNCTION adjust_wallet(
  entry_id text, owner text, amount bigint, own_reference text, why text, adjusted_at timestamptz,
  max_balance bigint
)
RETURNS TABLE (outcome text, balance bigint, held bigint) LANGUAGE plpgsql AS $$
DECLARE
  earlier bigint;
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true);
  INSERT INTO wallet (account_id, balance_nano_usd, held_nano_usd) VALUES (owner, 0, 0)
    ON CONFLICT DO NOTHING;
  SELECT balance_nano_usd, held_nano_usd INTO balance, held
    FROM wallet WHERE account_id = owner FOR UPDATE;
  SELECT a.amount_nano_usd INTO earlier
    FROM adjustment a WHERE a.account_id = owner AND a.reference = own_reference;
  outcome := CASE
    WHEN earlier = amount THEN 'unchanged'
    WHEN earlier IS NOT NULL THEN 'conflict'
    WHEN balance + amount > max_balance THEN 'above_maximum'
    WHEN balance - held + amount < 0 THEN 'below_available'
    ELSE 'adjusted'
  END;
  IF outcome = 'adjusted' THEN
    -- The trigger of `entry` adds the amount to the wallet's balance_nano_usd and records the
    -- reference (apply_entries). The columns that only usage has are empty.
    INSERT INTO entry (
      id, event_id, account_id, key_id, kind, amount_nano_usd, cost_nano_usd, uncollected_nano_usd,
      request_id, route_type, alias, provider, upstream_model, unit_type, quantity, basis,
      prompt_tokens, completion_tokens, cached_prompt_tokens, reference, reason, occurred_at)
    VALUES (entry_id, 'adjustment:' || owner || ':' || own_reference, owner, '', 'adjustment',
      amount, 0, 0, '', '', '', '', '', '', 0, '', 0, 0, 0, own_reference, why, adjusted_at);
    balance := balance + amount;
  END IF;
  RETURN NEXT;
END $$;
