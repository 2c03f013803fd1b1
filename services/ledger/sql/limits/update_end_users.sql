-- Sets the limits of the end users of a key to those that the key has for each of them, or deletes
-- them if it has none. A period that has not ended goes on. In another one, what the user was
-- charged in it counts.
-- Locks: the caller has locked the wallet.
CREATE OR REPLACE FUNCTION update_end_users(key text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM usage_limit u WHERE u.key_id = key AND NOT EXISTS (
    SELECT FROM usage_limit k WHERE k.owner_id = key
      AND num_nonnulls(k.user_budget_nano_usd, k.user_requests_per_minute) > 0);
  UPDATE usage_limit u SET
    budget_nano_usd = k.user_budget_nano_usd,
    budget_period = k.user_budget_period,
    requests_per_minute = k.user_requests_per_minute,
    period_start = CASE WHEN kept.goes_on THEN u.period_start ELSE begun.period_start END,
    period_end = CASE WHEN kept.goes_on THEN u.period_end
      ELSE find_period_end(k.user_budget_period, now(), k.time_zone) END,
    spent_nano_usd = CASE
      WHEN kept.goes_on THEN u.spent_nano_usd
      WHEN begun.period_start IS NULL THEN 0
      ELSE sum_end_user_charges(u.account_id, key, u.end_user, begun.period_start) END
  FROM usage_limit k,
    LATERAL (
      SELECT find_period_start(k.user_budget_period, now(), k.time_zone) AS period_start) begun,
    LATERAL (
      SELECT u2.owner_id, coalesce(
        u2.budget_period = k.user_budget_period AND now() < u2.period_end, false) AS goes_on
      FROM usage_limit u2 WHERE u2.key_id = key) kept
  WHERE k.owner_id = key AND u.key_id = key AND kept.owner_id = u.owner_id;
END $$;
