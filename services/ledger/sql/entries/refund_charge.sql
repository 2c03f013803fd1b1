-- Adds `amount` nano-USD to the wallet of `owner`, of what a request was charged. All refunds of a
-- request are at most its charges. The entry is an adjustment with the id of the request, and its
-- reference begins with `refund:`, which no other adjustment uses. A reference is applied once.
--
-- Returns one row: the outcome, the wallet after it, and what is left to refund.
--   refunded      the amount was added
--   unchanged     the reference was applied before with the same amount
--   conflict      the reference was applied before with another amount; nothing was added
--   above_charge  less than the amount is left to refund; nothing was added
--   above_maximum the balance would exceed `max_balance`; nothing was added
-- Locks: the wallet first.
CREATE OR REPLACE FUNCTION refund_charge(
  entry_id text, owner text, request text, amount bigint, own_reference text, why text,
  refunded_at timestamptz, max_balance bigint
)
RETURNS TABLE (outcome text, balance bigint, held bigint, refundable bigint) LANGUAGE plpgsql AS $$
DECLARE
  earlier bigint;
  full_reference text := 'refund:' || request || ':' || own_reference;
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true);
  SELECT balance_nano_usd, held_nano_usd INTO balance, held
    FROM wallet WHERE account_id = owner FOR UPDATE;
  SELECT a.amount_nano_usd INTO earlier
    FROM adjustment a WHERE a.account_id = owner AND a.reference = full_reference;
  -- Charges are less than zero, and refunds are more.
  SELECT coalesce(-sum(e.amount_nano_usd), 0) INTO refundable
    FROM entry e WHERE e.request_id = request AND e.account_id = owner;
  outcome := CASE
    WHEN earlier = amount THEN 'unchanged'
    WHEN earlier IS NOT NULL THEN 'conflict'
    WHEN amount > refundable THEN 'above_charge'
    WHEN balance + amount > max_balance THEN 'above_maximum'
    ELSE 'refunded'
  END;
  IF outcome = 'refunded' THEN
    -- The trigger of `entry` adds the amount to the wallet's balance_nano_usd and records the
    -- reference (apply_entries).
    INSERT INTO entry (
      id, event_id, account_id, key_id, kind, amount_nano_usd, cost_nano_usd, uncollected_nano_usd,
      request_id, route_type, alias, provider, upstream_model, unit_type, quantity, basis,
      prompt_tokens, completion_tokens, cached_prompt_tokens, reference, reason, occurred_at)
    VALUES (entry_id, 'adjustment:' || owner || ':' || full_reference, owner, '', 'adjustment',
      amount, 0, 0, request, '', '', '', '', '', 0, '', 0, 0, 0, full_reference, why, refunded_at);
    balance := balance + amount;
    refundable := refundable - amount;
  END IF;
  RETURN NEXT;
END $$;
