-- Writes the entries of usage events with their decisions, and the trails and the other ids of
-- their requests. Events without a decision are skipped. The trigger of `entry` subtracts the
-- charges from the wallets' balance_nano_usd, and records the events, the charge ids and the sums
-- (apply_entries, add_to_usage_sums, add_to_end_user_sums). A conversation that is deleted by now
-- is not linked.
-- Returns the total amount that the events leave uncollected, nano-USD.
-- Locks: the caller has locked the wallets.
CREATE OR REPLACE FUNCTION write_entries(
  events usage_event[], decisions charge_decision[], lines_of json[], provider_usages text[],
  trails json[], other_ids text[]
)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  uncollected bigint;
BEGIN
  WITH written AS (
    INSERT INTO entry (
      id, event_id, account_id, key_id, end_user, kind, amount_nano_usd, cost_nano_usd,
      uncollected_nano_usd, request_id, route_type, alias, provider, upstream_model, unit_type,
      quantity, basis,
      corpus_size, prompt_tokens, completion_tokens, cached_prompt_tokens, provider_cost_nano_usd,
      plan, conversation_id, charge_id, reference, occurred_at, lines, provider_usage)
    SELECT
      id, event_id, account_id, key_id, end_user, kind, -charged, due, due - charged,
      request_id, route_type, alias, provider, upstream_model, unit_type, quantity, basis,
      corpus_size, prompt_tokens, completion_tokens, cached_prompt_tokens, provider_cost, plan,
      CASE
        WHEN conversation_id IS NULL OR EXISTS (
          SELECT FROM deleted_conversation d WHERE d.conversation_id = event.conversation_id)
        THEN NULL ELSE conversation_id
      END,
      CASE WHEN is_repeated THEN NULL ELSE charge_id END,
      CASE WHEN is_repeated THEN charge_id ELSE '' END,
      occurred_at, lines, provider_usage
    FROM unnest(lines_of, provider_usages, events, decisions) AS event (lines, provider_usage)
    WHERE charged IS NOT NULL
    RETURNING uncollected_nano_usd
  )
  SELECT coalesce(sum(uncollected_nano_usd), 0) INTO uncollected FROM written;
  INSERT INTO request_trail (entry_id, recorded_at, trail, error_code, account_id)
    SELECT id, now(), trail, error_code, CASE WHEN error_code IS NOT NULL THEN account_id END
    FROM unnest(trails, events, decisions) AS event (trail)
    WHERE charged IS NOT NULL AND trail IS NOT NULL;
  INSERT INTO request_other_id (id, entry_id, recorded_at, account_id)
    SELECT string_to_table(ids, E'\n'), id, now(), account_id
    FROM unnest(other_ids, events, decisions) AS event (ids)
    WHERE charged IS NOT NULL AND ids IS NOT NULL;
  RETURN uncollected;
END $$;
