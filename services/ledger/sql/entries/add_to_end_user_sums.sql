-- Trigger function of `entry`, after each INSERT statement: adds the new entries of requests that
-- name an end user to the sums of that end user's days (UTC). It is the only writer of
-- `end_user_day`.
-- Locks: as add_to_usage_sums.
CREATE OR REPLACE FUNCTION add_to_end_user_sums() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO end_user_day AS used (account_id, day, end_user, key_id, alias, provider, route_type,
    unit_type, plan, requests, failed_requests, quantity, prompt_tokens, cached_prompt_tokens,
    completion_tokens, cost_nano_usd, charged_nano_usd, uncollected_nano_usd,
    provider_cost_nano_usd, costed_charge_nano_usd)
  SELECT account_id, date_trunc('day', recorded_at, 'UTC'), end_user, key_id, alias, provider,
    route_type, unit_type, plan, count(*), count(*) FILTER (WHERE kind = 'failure'),
    sum(quantity), sum(prompt_tokens), sum(cached_prompt_tokens), sum(completion_tokens),
    sum(cost_nano_usd), -sum(amount_nano_usd), sum(uncollected_nano_usd),
    coalesce(sum(provider_cost_nano_usd), 0),
    coalesce(-sum(amount_nano_usd) FILTER (WHERE provider_cost_nano_usd IS NOT NULL), 0)
  FROM new_rows WHERE end_user <> '' AND kind IN ('usage', 'failure')
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9
  ON CONFLICT (account_id, day, end_user, key_id, alias, provider, route_type, unit_type, plan)
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
    costed_charge_nano_usd = used.costed_charge_nano_usd + excluded.costed_charge_nano_usd;
  RETURN NULL;
END $$;
