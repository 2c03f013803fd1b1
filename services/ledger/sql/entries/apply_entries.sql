-- Trigger function of `entry`, after each INSERT statement: applies the new entries to the tables
-- that follow from them. It is the only writer of these tables, and of a wallet's balance.
--   wallet          balance_nano_usd += amount_nano_usd; an amount without a wallet is an error
--   recorded_event  one row per entry; a second entry of an event is a unique violation
--   charge          one row per entry with a charge id; a second one is a unique violation
--   credit          one row per top-up; a second one of its reference is a unique violation
--   adjustment      the same for adjustments
--   usage_limit     spent_nano_usd += the charges of the owner, in the period of recorded_at
--   conversation_spend  the charges of the conversation that the entry is linked to
--   spend_hour      the account's charges in the hour (UTC) of recorded_at
--   usage_hour      the sums of the entries of requests, by key, model, provider and hour (UTC)
--   usage_day       the same by day (UTC)
-- Locks: the statement that inserts has locked the wallets. They are updated in order of account
-- id, and so are the sums: an account without a wallet has them too.
CREATE OR REPLACE FUNCTION apply_entries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change record;
  limited text[] := '{}';
  is_limited boolean;
BEGIN
  INSERT INTO recorded_event (event_id, entry_id, recorded_at)
    SELECT event_id, id, recorded_at FROM new_rows;
  INSERT INTO charge (charge_id, charged_nano_usd, entry_id, recorded_at)
    SELECT charge_id, -amount_nano_usd, id, recorded_at FROM new_rows WHERE charge_id IS NOT NULL;
  INSERT INTO credit (account_id, reference, credited_nano_usd, entry_id, recorded_at)
    SELECT account_id, reference, amount_nano_usd, id, recorded_at
    FROM new_rows WHERE kind = 'top_up';
  INSERT INTO adjustment (account_id, reference, amount_nano_usd, entry_id, recorded_at)
    SELECT account_id, reference, amount_nano_usd, id, recorded_at
    FROM new_rows WHERE kind = 'adjustment';
  FOR change IN
    SELECT account_id, sum(amount_nano_usd)::bigint AS amount
    FROM new_rows WHERE amount_nano_usd <> 0 GROUP BY account_id ORDER BY account_id
  LOOP
    UPDATE wallet SET balance_nano_usd = balance_nano_usd + change.amount
      WHERE account_id = change.account_id RETURNING has_limits INTO is_limited;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'an entry needs a wallet: account % has none', change.account_id;
    ELSIF is_limited THEN
      limited := array_append(limited, change.account_id);
    END IF;
  END LOOP;
  IF limited <> '{}' THEN
    PERFORM add_spent(array_agg(owner_id), account_id, array_agg(charged), max(recorded_at))
      FROM (
        SELECT account_id, owner_id, -sum(amount_nano_usd)::bigint AS charged,
          max(recorded_at) AS recorded_at
        FROM new_rows, LATERAL (VALUES (account_id), (key_id)) AS of (owner_id)
        WHERE kind = 'usage' AND account_id = ANY (limited) GROUP BY account_id, owner_id
      ) sums
      GROUP BY account_id;
  END IF;
  INSERT INTO conversation_spend AS spent (conversation_id, account_id, entries, charged_nano_usd)
    SELECT conversation_id, account_id, count(*), -sum(amount_nano_usd)
    FROM new_rows WHERE conversation_id IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (conversation_id, account_id) DO UPDATE SET
      entries = spent.entries + excluded.entries,
      charged_nano_usd = spent.charged_nano_usd + excluded.charged_nano_usd;
  WITH sums AS MATERIALIZED (
    SELECT account_id, date_trunc('hour', recorded_at, 'UTC') AS hour, key_id, alias, provider,
      route_type, unit_type, count(*) AS requests, count(*) FILTER (WHERE kind = 'failure') AS failed_requests,
      sum(quantity) AS quantity, sum(prompt_tokens) AS prompt_tokens,
      sum(cached_prompt_tokens) AS cached_prompt_tokens,
      sum(completion_tokens) AS completion_tokens, sum(cost_nano_usd) AS cost_nano_usd,
      -sum(amount_nano_usd) AS charged_nano_usd, sum(uncollected_nano_usd) AS uncollected_nano_usd
    FROM new_rows WHERE kind IN ('usage', 'failure') GROUP BY 1, 2, 3, 4, 5, 6, 7
    ORDER BY 1, 2, 3, 4, 5, 6, 7
  ), spends AS (
    INSERT INTO spend_hour AS spent (account_id, hour, charged_nano_usd)
    SELECT account_id, hour, sum(charged_nano_usd) FROM sums
    GROUP BY 1, 2 HAVING sum(charged_nano_usd) <> 0 ORDER BY 1, 2
    ON CONFLICT (account_id, hour) DO UPDATE SET
      charged_nano_usd = spent.charged_nano_usd + excluded.charged_nano_usd
  ), hours AS (
    INSERT INTO usage_hour AS used (account_id, hour, key_id, alias, provider, route_type,
      unit_type, requests, failed_requests, quantity, prompt_tokens, cached_prompt_tokens, completion_tokens,
      cost_nano_usd, charged_nano_usd, uncollected_nano_usd)
    SELECT account_id, hour, key_id, alias, provider, route_type, unit_type,
      requests, failed_requests, quantity, prompt_tokens, cached_prompt_tokens, completion_tokens,
      cost_nano_usd, charged_nano_usd, uncollected_nano_usd
    FROM sums
    ON CONFLICT (account_id, hour, key_id, alias, provider, route_type, unit_type) DO UPDATE SET
      requests = used.requests + excluded.requests,
      failed_requests = used.failed_requests + excluded.failed_requests,
      quantity = used.quantity + excluded.quantity,
      prompt_tokens = used.prompt_tokens + excluded.prompt_tokens,
      cached_prompt_tokens = used.cached_prompt_tokens + excluded.cached_prompt_tokens,
      completion_tokens = used.completion_tokens + excluded.completion_tokens,
      cost_nano_usd = used.cost_nano_usd + excluded.cost_nano_usd,
      charged_nano_usd = used.charged_nano_usd + excluded.charged_nano_usd,
      uncollected_nano_usd = used.uncollected_nano_usd + excluded.uncollected_nano_usd
  )
  INSERT INTO usage_day AS used (account_id, day, key_id, alias, provider, route_type,
    unit_type, requests, failed_requests, quantity, prompt_tokens, cached_prompt_tokens, completion_tokens,
    cost_nano_usd, charged_nano_usd, uncollected_nano_usd)
  SELECT account_id, date_trunc('day', hour, 'UTC'), key_id, alias, provider, route_type,
    unit_type, sum(requests), sum(failed_requests), sum(quantity), sum(prompt_tokens),
    sum(cached_prompt_tokens), sum(completion_tokens), sum(cost_nano_usd), sum(charged_nano_usd),
    sum(uncollected_nano_usd)
  FROM sums GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (account_id, day, key_id, alias, provider, route_type, unit_type) DO UPDATE SET
    requests = used.requests + excluded.requests,
    failed_requests = used.failed_requests + excluded.failed_requests,
    quantity = used.quantity + excluded.quantity,
    prompt_tokens = used.prompt_tokens + excluded.prompt_tokens,
    cached_prompt_tokens = used.cached_prompt_tokens + excluded.cached_prompt_tokens,
    completion_tokens = used.completion_tokens + excluded.completion_tokens,
    cost_nano_usd = used.cost_nano_usd + excluded.cost_nano_usd,
    charged_nano_usd = used.charged_nano_usd + excluded.charged_nano_usd,
    uncollected_nano_usd = used.uncollected_nano_usd + excluded.uncollected_nano_usd;
  RETURN NULL;
END $$;
