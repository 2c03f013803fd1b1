-- Takes holds, each of min(estimate, available) nano-USD, in the order of the arrays: within a
-- wallet, a hold gets what those before it left. Nothing available, or no wallet: no hold is
-- written. Nor is one of the `wholes` where less than its estimate is available. Each hold expires
-- after `hold_ms` milliseconds.
--
-- A hold that has one of the `leasts` below its estimate takes at most an eighth of what is
-- available, in whole micro-USD as every charge is, but at least that: what it does not need yet stays available to other requests, and to
-- its own growth (grow_hold).
--
-- Where the key or its account has limits, what their budgets have left is available at most, and
-- the hold is taken only if it is within their other limits: requests in progress, and requests and
-- `tokens` in a minute. A request with more tokens than the limit is taken in an empty minute. A
-- request with an estimate of zero then has a hold of zero. Budgets come first, then requests in
-- progress, requests and tokens: the first limit that has too little left is the refusal.
--
-- Returns one row per hold, in the same order: `granted`, zero where nothing is held, `wallet_held`,
-- what all holds of the wallet reserve, this one included, `wallet_balance`, and as JSON the `refusal`
-- (refuse_limit) and the `rates` of the key or account, NULL where there are none.
--
-- Locks: the wallets first, in order of account id, as every function here does. What is read after
-- the lock is what every other writer of these wallets has committed, so that two replicas never
-- grant the same money. The lock covers the account's limits too.
--
-- Commits asynchronously (synchronous_commit = off). A database that crashes may lose the holds of
-- its last moments, and the wallets' held amounts with them, so that both still agree: the requests
-- settle as those of expired holds do. Entries always commit synchronously.
--
-- A loop over small statements: one statement with nested window functions takes longer to plan
-- than all of these to run.
-- A wallet that is locked for longer than 100 ms fails the call: see src/wallet-locks.ts.
CREATE OR REPLACE FUNCTION take_holds(
  hold_ids text[], account_ids text[], key_ids text[], estimates bigint[], leasts bigint[],
  wholes boolean[], tokens bigint[], hold_ms bigint
)
RETURNS TABLE (
  granted bigint, wallet_held bigint, wallet_balance bigint, refusal jsonb, rates jsonb
) LANGUAGE plpgsql AS $$
DECLARE
  request record;
  owner text;
  balance bigint;
  available bigint;
  held bigint;
  amount bigint;
  -- What was decided, by the requests' positions in the arrays. NULL: no hold.
  amounts bigint[] := '{}';
  wallets_held bigint[] := '{}';
  balances bigint[] := '{}';
  -- The same where there are limits, and what is left of the limits by owner.
  limited text[];
  owners text[] := '{}';
  limits limits_left[] := '{}';
  key limits_left;
  account limits_left;
  refused jsonb;
  refusals jsonb[];
  all_rates jsonb[];
  -- While nothing more is taken, requests like the last refused one are refused as it was.
  traits text;
  refused_traits text;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '100ms', true);
  -- FILTER, since a WHERE of has_limits would lock only those wallets.
  SELECT array_agg(account_id) FILTER (WHERE has_limits) INTO limited FROM (
    SELECT account_id, has_limits FROM wallet
    WHERE account_id = ANY (account_ids) ORDER BY account_id FOR UPDATE
  ) locked;
  IF limited IS NOT NULL THEN
    limits := read_limits_left(limited || key_ids);
    owners := ARRAY(SELECT owner_id FROM unnest(limits));
    refusals := array_fill(NULL::jsonb, ARRAY[cardinality(hold_ids)]);
    all_rates := refusals;
  END IF;

  FOR request IN
    SELECT account_id, estimate, lowest, is_whole, needed_tokens, ordinality::int AS position,
      array_position(owners, key_id) AS key_at, array_position(owners, account_id) AS account_at
    FROM unnest(account_ids, key_ids, estimates, leasts, wholes, tokens) WITH ORDINALITY
      AS requested (account_id, key_id, estimate, lowest, is_whole, needed_tokens, ordinality)
    ORDER BY account_id, ordinality
  LOOP
    IF owner IS DISTINCT FROM request.account_id THEN
      owner := request.account_id;
      SELECT balance_nano_usd, held_nano_usd INTO balance, held
        FROM wallet WHERE account_id = owner;
      balance := coalesce(balance, 0);
      held := coalesce(held, 0);
      available := balance - held;
    END IF;
    IF request.key_at IS NULL AND request.account_at IS NULL THEN
      amount := nullif(
        compute_hold(request.estimate, request.lowest, request.is_whole, available), 0);
    ELSE
      key := limits[request.key_at];
      account := limits[request.account_at];
      amount := compute_hold(request.estimate, request.lowest, request.is_whole,
        least(available, key.budget_left, account.budget_left));
      traits := concat_ws(' ', request.key_at, request.account_at, request.estimate,
        request.lowest, request.is_whole, request.needed_tokens);
      IF traits = refused_traits THEN
        amount := NULL;
      ELSIF amount = 0 AND request.estimate > 0 THEN
        refused := CASE
          WHEN compute_hold(request.estimate, request.lowest, request.is_whole, available) > 0
          THEN refuse_budget(key, account)
        END;
        amount := NULL;
      ELSE
        refused := check_limits(key, account, request.needed_tokens);
        amount := CASE WHEN refused IS NULL THEN amount END;
      END IF;
      IF amount IS NULL THEN
        refused_traits := traits;
        refusals[request.position] := refused;
      ELSE
        refused_traits := NULL;
        IF request.key_at IS NOT NULL THEN
          key := take_from_limits(key, amount, 1, request.needed_tokens, 1);
          limits[request.key_at] := key;
        END IF;
        IF request.account_at IS NOT NULL THEN
          account := take_from_limits(account, amount, 1, request.needed_tokens, 1);
          limits[request.account_at] := account;
        END IF;
      END IF;
      all_rates[request.position] := format_rates(key, account);
    END IF;
    available := available - coalesce(amount, 0);
    held := held + coalesce(amount, 0);
    amounts[request.position] := amount;
    wallets_held[request.position] := held;
    balances[request.position] := balance;
  END LOOP;

  -- The trigger of `hold` adds the amounts to the wallets' and the limits' held_nano_usd, and counts
  -- the requests in progress (apply_holds).
  INSERT INTO hold (id, account_id, amount_nano_usd, created_at, expires_at, key_id, requests,
    tokens, in_progress)
  SELECT id, account_id, taken, now(), now() + hold_ms * interval '1 millisecond', key_id, 1,
    needed_tokens, 1
  FROM unnest(hold_ids, account_ids, amounts, key_ids, tokens)
    AS decided (id, account_id, taken, key_id, needed_tokens)
  WHERE taken IS NOT NULL;
  IF limits <> '{}' THEN
    PERFORM count_in_minute(owner_ids, account_id, now(), requests, used_tokens)
      FROM (
        SELECT account_id, array_agg(owner_id) AS owner_ids, array_agg(added_requests) AS requests,
          array_agg(added_tokens) AS used_tokens
        FROM unnest(limits) WHERE added_requests > 0 GROUP BY account_id
      ) added;
  END IF;
  RETURN QUERY
    SELECT coalesce(taken, 0), d.held, d.balance, d.refusal, d.rates
    FROM unnest(amounts, wallets_held, balances, refusals, all_rates)
      AS d (taken, held, balance, refusal, rates);
END $$;
