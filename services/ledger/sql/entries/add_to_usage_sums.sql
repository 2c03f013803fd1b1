-- Trigger function of `entry`, after each INSERT statement: adds the new entries of requests to the
-- sums of usage. It is the only writer of these tables.
--   spend_hour  the account's charges in the hour (UTC) of recorded_at
--   usage_hour  the sums of the entries, by key, model, provider, plan and hour (UTC)
--   usage_day   the same by day (UTC)
-- Locks: the statement that inserts has locked the wallets. The sums are updated in order of
-- account id: an account without a wallet has them too.
CREATE OR REPLACE FUNCTION add_to_usage_sums() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH sums AS MATERIALIZED (
    SELECT account_id, date_trunc('hour', recorded_at, 'UTC') AS hour, key_id, alias, provider,
      route_type, unit_type, plan, count(*) AS requests,
      count(*) FILTER (WHERE kind = 'failure') AS failed_requests,
      sum(quantity) AS quantity, sum(prompt_tokens) AS prompt_tokens,
      sum(cached_prompt_tokens) AS cached_prompt_tokens,
      sum(completion_tokens) AS completion_tokens, sum(cost_nano_usd) AS cost_nano_usd,
      -sum(amount_nano_usd) AS charged_nano_usd, sum(uncollected_nano_usd) AS uncollected_nano_usd,
      coalesce(sum(provider_cost_nano_usd), 0) AS provider_cost_nano_usd,
      coalesce(-sum(amount_nano_usd) FILTER (WHERE provider_cost_nano_usd IS NOT NULL), 0)
        AS costed_charge_nano_usd
    FROM new_rows WHERE kind IN ('usage', 'failure') GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
    ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
  ), spends AS (
    INSERT INTO spend_hour AS spent (account_id, hour, charged_nano_usd)
    SELECT account_id, hour, sum(charged_nano_usd) FROM sums
    GROUP BY 1, 2 HAVING sum(charged_nano_usd) <> 0 ORDER BY 1, 2
    ON CONFLICT (account_id, hour) DO UPDATE SET
      charged_nano_usd = spent.charged_nano_usd + excluded.charged_nano_usd
  ), hours AS (
    INSERT INTO usage_hour AS used (account_id, hour, key_id, alias, provider, route_type,
      unit_type, plan, requests, failed_requests, quantity, prompt_tokens, cached_prompt_tokens,
      completion_tokens, cost_nano_usd, charged_nano_usd, uncollected_nano_usd,
      provider_cost_nano_usd, costed_charge_nano_usd)
    SELECT account_id, hour, key_id, alias, provider, route_type, unit_type, plan,
      requests, failed_requests, quantity, prompt_tokens, cached_prompt_tokens, completion_tokens,
      cost_nano_usd, charged_nano_usd, uncollected_nano_usd, provider_cost_nano_usd,
      costed_charge_nano_usd
    FROM sums
    ON CONFLICT (account_id, hour, key_id, alias, provider, route_type, unit_type, plan)
    DO UPDATE SET
      requests = used.requests + excluded.requests,
      failed_requests = used.failed_requests + excluded.failed_requests,
      quantity = used.quantity + excluded.quantity,
      prompt_tokens = used.prompt_tokens + excluded.prompt_tokens,
      cached_prompt_tokens = used.cached_prompt_tokens + excluded.cached_prompt_tokens,
      completion_tokens = used.completion_tokens + excluded.completion_tokens,
      cost_nano_usd = used.cost_nano_usd + excluded.cost_nano_usd,
      charged_nano_usd = used.charged_nano_usd + excluded.charged_nano_usd,
      uncollected_nano_usd = used.uncollected_nano_usd + excluded.uncollected_nano_usd,
      provider_cost_nano_usd = used.provider_cost_nano_usd + excluded.provider_cost_nano_usd,
      costed_charge_nano_usd = used.costed_charge_nano_usd + excluded.costed_charge_nano_usd
  )
  INSERT INTO usage_day AS used (account_id, day, key_id, alias, provider, route_type,
    unit_type, plan, requests, failed_requests, quantity, prompt_tokens, cached_prompt_tokens,
    completion_tokens, cost_nano_usd, charged_nano_usd, uncollected_nano_usd,
    provider_cost_nano_usd, costed_charge_nano_usd)
  SELECT account_id, date_trunc('day', hour, 'UTC'), key_id, alias, provider, route_type,
    unit_type, plan, sum(requests), sum(failed_requests), sum(quantity), sum(prompt_tokens),
    sum(cached_prompt_tokens), sum(completion_tokens), sum(cost_nano_usd), sum(charged_nano_usd),
    sum(uncollected_nano_usd), sum(provider_cost_nano_usd), sum(costed_charge_nano_usd)
  FROM sums GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
  ON CONFLICT (account_id, day, key_id, alias, provider, route_type, unit_type, plan) DO UPDATE SET
    requests = used.requests + excluded.requests,
    failed_requests = used.failed_requests + excluded.failed_requests,
    quantity = used.quantity + excluded.quantity,
    prompt_tokens = used.prompt_tokens + excluded.prompt_tokens,
    cached_prompt_tokens = used.cached_prompt_tokens + excluded.cached_prompt_tokens,
    completion_tokens = used.completion_tokens + excluded.completion_tokens,
    cost_nano_usd = used.cost_nano_usd + excluded.cost_nano_usd,
    charged_nano_usd = used.charged_nano_usd + excluded.charged_nano_usd,
    uncollected_nano_usd = used.uncollected_nano_usd + excluded.uncollected_nano_usd,
    provider_cost_nano_usd = used.provider_cost_nano_usd + excluded.provider_cost_nano_usd,
    costed_charge_nano_usd = used.costed_charge_nano_usd + excluded.costed_charge_nano_usd;
  RETURN NULL;
END $$;
