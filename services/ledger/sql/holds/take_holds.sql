-- Takes holds, each of min(estimate, available) nano-USD, in the order of the arrays: within a
-- wallet, a hold gets what those before it left. Nothing available, or no wallet: no hold is
-- written. Nor is one of the `wholes` where less than its estimate is available. Each hold expires
-- after `hold_ms` milliseconds. The models of their requests are in `aliases`, `route_types` and
-- `unit_types`; those without a route type are not recorded if they are lost (lost_request).
--
-- A hold that has one of the `leasts` below its estimate takes at most an eighth of what is
-- available, in whole micro-USD as every charge is, but at least that: what it does not need yet
-- stays available to other requests, and to its own growth (grow_hold).
--
-- Where less than one of the `alone_belows` is available, its request costs more than that, and the
-- rest is lost. Its hold is then taken only if nothing else of the wallet is held, or of the budget
-- that has too little left. Otherwise concurrent requests would each take what others release, and
-- leave most of their costs unpaid.
--
-- Where the end user, the key or its account has limits, what their budgets have left is available
-- at most (one of the `budgeted` needs all of its estimate left of them, whatever the wallet has),
-- and the hold is taken only if it is within their other limits: requests in progress, and requests
-- and `tokens` in a minute. A request with more tokens than the limit is taken in an empty minute.
-- A request with an estimate of zero then has a hold of zero. Budgets come first, then requests in
-- progress, requests and tokens: the first limit that has too little left is the refusal.
--
-- Returns one row per hold, in the same order: `granted`, zero where nothing is held,
-- `wallet_held`, what all holds of the wallet reserve, this one included, `wallet_balance`, and as
-- JSON the `refusal` (refuse_limit) and the `rates` of the end user, key or account, NULL where
-- there are none.
--
-- The limits of an end user are a row that is inserted with the first hold. A refused request
-- inserts none, so that requests with invented names do not fill the table.
--
-- Locks: the wallets first (lock_wallets).
--
-- Commits asynchronously (synchronous_commit = off). A database that crashes may lose the holds of
-- its last moments, and the wallets' held amounts with them, so that both still agree: the requests
-- settle as those of expired holds do. Entries always commit synchronously.
CREATE OR REPLACE FUNCTION take_holds(
  hold_ids text[], account_ids text[], key_ids text[], end_users text[], estimates bigint[],
  leasts bigint[],
  alone_belows bigint[], wholes boolean[], budgeted boolean[], tokens bigint[], aliases text[],
  route_types text[], unit_types text[], hold_ms bigint
)
RETURNS TABLE (
  granted bigint, wallet_held bigint, wallet_balance bigint, refusal jsonb, rates jsonb
) LANGUAGE plpgsql AS $$
DECLARE
  limited text[];
  limits limits_left[] := '{}';
  -- What is left of the limits of the end users.
  users limits_left[] := '{}';
  decisions hold_decision[];
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  limited := lock_wallets(account_ids);
  IF limited IS NOT NULL THEN
    limits := read_limits_left(limited || key_ids);
    users := read_user_limits(limits, key_ids, end_users);
    limits := limits || users;
  END IF;
  decisions := decide_holds(account_ids, key_ids, end_users, estimates, leasts, alone_belows,
    wholes,
    budgeted, tokens, limits);
  -- The trigger of `hold` adds the amounts to the wallets' and the limits' held_nano_usd, and
  -- counts the requests in progress (apply_holds).
  INSERT INTO hold (id, account_id, amount_nano_usd, created_at, expires_at, key_id, end_user,
    requests, tokens, in_progress, alias, route_type, unit_type)
  SELECT id, account_id, taken, now(), now() + hold_ms * interval '1 millisecond', key_id, end_user,
    1, needed_tokens, 1, alias, route_type, unit_type
  FROM unnest(hold_ids, account_ids, key_ids, end_users, tokens, aliases, route_types, unit_types,
      decisions)
    AS decided (id, account_id, key_id, end_user, needed_tokens, alias, route_type, unit_type)
  WHERE taken IS NOT NULL;
  IF limits <> '{}' THEN
    PERFORM count_in_minute(owner_ids, account_id, now(), requests, used_tokens)
      FROM (
        SELECT account_id, array_agg(owner_id) AS owner_ids, array_agg(taken_requests) AS requests,
          array_agg(taken_tokens) AS used_tokens
        FROM (
          SELECT account_id, owner_id, count(*) AS taken_requests,
            sum(needed_tokens)::bigint AS taken_tokens
          FROM unnest(account_ids, key_ids, end_users, tokens, decisions)
              AS decided (account_id, key_id, end_user, needed_tokens),
            LATERAL (VALUES (account_id), (key_id), (end_user_owner_id(key_id, end_user)))
              AS of (owner_id)
          WHERE taken IS NOT NULL AND account_id = ANY (limited)
          GROUP BY account_id, owner_id
        ) taken_of
        GROUP BY account_id
      ) counted;
  END IF;
  IF users <> '{}' THEN
    PERFORM forget_unused_users(users);
  END IF;
  RETURN QUERY
    SELECT coalesce(d.taken, 0), d.wallet_held, d.wallet_balance, d.refusal, d.rates
    FROM unnest(decisions) AS d;
END $$;
