-- Adds `amount` nano-USD to the wallet of `owner`, and opens the wallet if there is none; an amount
-- of zero only opens it. A reference is credited once. The amount first pays the debts of the
-- account, in the same transaction, so that no request spends it before.
--
-- Returns one row: the outcome, the wallet after it, and the part of the amount that paid debts.
--   credited      the amount was added
--   unchanged     the amount is zero, or the reference was credited before with the same amount
--   conflict      the reference was credited before with another amount; nothing was added
--   above_maximum the balance would exceed `max_balance`; nothing was added
-- Locks: the wallet first.
CREATE OR REPLACE FUNCTION top_up(
  entry_id text, owner text, amount bigint, payment_reference text, paid_at timestamptz,
  max_balance bigint
)
RETURNS TABLE (outcome text, balance bigint, held bigint, collected bigint) LANGUAGE plpgsql AS $$
DECLARE
  earlier bigint;
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true);
  INSERT INTO wallet (account_id, balance_nano_usd, held_nano_usd) VALUES (owner, 0, 0)
    ON CONFLICT DO NOTHING;
  SELECT balance_nano_usd, held_nano_usd INTO balance, held
    FROM wallet WHERE account_id = owner FOR UPDATE;
  SELECT credited_nano_usd INTO earlier
    FROM credit WHERE account_id = owner AND reference = payment_reference;
  outcome := CASE
    WHEN amount = 0 OR earlier = amount THEN 'unchanged'
    WHEN earlier IS NOT NULL THEN 'conflict'
    WHEN balance + amount > max_balance THEN 'above_maximum'
    ELSE 'credited'
  END;
  IF outcome = 'credited' THEN
    -- The trigger of `entry` adds the amount to the wallet's balance_nano_usd and records the
    -- reference (apply_entries). The columns that only usage has are empty.
    INSERT INTO entry (
      id, event_id, account_id, key_id, kind, amount_nano_usd, cost_nano_usd, uncollected_nano_usd,
      request_id, route_type, alias, provider, upstream_model, unit_type, quantity, basis,
      prompt_tokens, completion_tokens, cached_prompt_tokens, reference, occurred_at)
    VALUES (entry_id, 'top_up:' || owner || ':' || payment_reference, owner, '', 'top_up',
      amount, 0, 0, '', '', '', '', '', '', 0, '', 0, 0, 0, payment_reference, paid_at);
    collected := collect_debt(owner, paid_at);
    balance := balance + amount - collected;
  END IF;
  collected := coalesce(collected, 0);
  RETURN NEXT;
END $$;
