-- Writes the adjustment of one step of a reversal; the trigger apply_entries changes the wallet.
-- Its reference begins with `reversal:`, which no other adjustment uses.
-- Locks: the caller has locked the wallet.
CREATE OR REPLACE FUNCTION add_reversal_entry(
  owner text, amount bigint, step text, why text, adjusted_at timestamptz
)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO entry (
    id, event_id, account_id, key_id, kind, amount_nano_usd, cost_nano_usd, uncollected_nano_usd,
    request_id, route_type, alias, provider, upstream_model, unit_type, quantity, basis,
    prompt_tokens, completion_tokens, cached_prompt_tokens, reference, reason, occurred_at)
  VALUES (
    -- A UUIDv7, as the ids of other entries: they sort by time.
    'entry_' || lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
      || substr(replace(gen_random_uuid()::text, '-', ''), 14),
    'adjustment:' || owner || ':reversal:' || step, owner, '', 'adjustment', amount, 0, 0,
    '', '', '', '', '', '', 0, '', 0, 0, 0, 'reversal:' || step, why, adjusted_at)
$$;
