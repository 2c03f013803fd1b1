-- Captures usage events, in their order and each exactly once: charges their costs, releases their
-- holds and writes their entries. Amounts are nano-USD.
--
-- What a charge does to a wallet:
--   1. The event's own hold is released, and its part of a shared hold is taken out of that hold.
--   2. The charge is min(cost, charge_limit, available), where available is balance - held after
--      step 1, and charge_limit is the cost in the client's response. Money that other requests
--      hold is never touched.
--   3. Where the end user, the key or its account has a budget, the charge is at most what is left
--      of it after step 1, but at least what was released: a budget that was lowered since leaves
--      that for the request.
--   4. held_nano_usd decreases by what was released, and balance_nano_usd by the charge. The entry
--      records the charge, and the rest of the cost as uncollected.
--
-- What the event used of a limit of tokens replaces what its hold had counted, in the same second.
--
-- An event that has an entry already changes nothing. An event whose charge id was charged before
-- costs nothing, and its entry refers to that charge id. A conversation that is deleted by now is
-- not linked.
--
-- The lines of the events, the providers' usage blocks, the trails of the requests and their other
-- ids, one a line, are in arrays of their own, NULL where there is none: within a row within an
-- array, all their quotes are escaped twice.
--
-- Returns the total amount that the events leave uncollected.
--
-- Locks: the wallets first, in order of account id, as every function here does (lock_wallets).
-- What is read after the lock is what every other writer of these wallets has committed. A wallet
-- that is locked for longer than 100 ms fails the call: see src/wallet-locks.ts.
--
-- A replica's connection keeps a plan for long, and may have made it while the tables were nearly
-- empty. Rows are therefore looked up by key, in loops, arrays and LATERAL ... LIMIT 1, which no
-- plan turns into a scan. Plans are generic (plan_cache_mode): Postgres does not plan a statement
-- again for each call. The functions that this one calls are in plpgsql, which keeps plans, or are
-- STABLE queries whose arguments are variables: these become a part of the caller's query. Any
-- other function in SQL is planned for each call.
CREATE OR REPLACE FUNCTION capture_usage(
  events usage_event[], lines_of json[], provider_usages text[], trails json[], other_ids text[]
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  limited text[];
  -- Those of the end users, keys and accounts that have limits, and what their budgets have left.
  owners text[] := '{}';
  budgets bigint[] := '{}';
  limits_users boolean;
  captures capture[];
  decisions charge_decision[];
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true),
    set_config('plan_cache_mode', 'force_generic_plan', true);
  -- FILTER, since a WHERE of has_limits would lock only those wallets.
  SELECT array_agg(account_id) FILTER (WHERE has_limits) INTO limited FROM (
    SELECT account_id, has_limits FROM wallet
    WHERE account_id = ANY (ARRAY(SELECT event.account_id FROM unnest(events) AS event))
    ORDER BY account_id FOR UPDATE
  ) locked;
  IF limited IS NOT NULL THEN
    SELECT left_of.owners, left_of.budgets, left_of.limits_users INTO owners, budgets, limits_users
      FROM read_budgets(limited, events) AS left_of;
    -- A user without a hold may have no limits yet.
    IF limits_users AND open_end_users(ARRAY(SELECT key_id FROM unnest(events)),
      ARRAY(SELECT end_user FROM unnest(events))) <> '{}'
    THEN
      SELECT left_of.owners, left_of.budgets INTO owners, budgets
        FROM read_budgets(limited, events) AS left_of;
    END IF;
  END IF;
  captures := ARRAY(
    SELECT c FROM read_captures(events, owners) AS c ORDER BY c.account_id, c.position);
  decisions := decide_charges(captures, budgets, cardinality(events));
  IF owners <> '{}' THEN
    PERFORM settle_tokens(captures);
  END IF;
  PERFORM release_captured_holds(captures);
  RETURN write_entries(events, decisions, lines_of, provider_usages, trails, other_ids);
END $$;
