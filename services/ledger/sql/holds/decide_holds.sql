-- Returns the decisions about holds, as take_holds describes them, in the order of the arrays.
-- `limits` is what is left of the limits of their end users, keys and accounts, where there are
-- any.
-- Locks: the caller has locked the wallets.
CREATE OR REPLACE FUNCTION decide_holds(
  account_ids text[], key_ids text[], end_users text[], estimates bigint[], leasts bigint[],
  alone_belows bigint[],
  wholes boolean[], budgeted boolean[], tokens bigint[], limits limits_left[]
)
RETURNS hold_decision[] LANGUAGE plpgsql AS $$
DECLARE
  request record;
  owners text[] := '{}';
  owner text;
  balance bigint;
  available bigint;
  at integer;
  decision hold_decision;
  decisions hold_decision[] :=
    array_fill(NULL::hold_decision, ARRAY[cardinality(account_ids)]);
  -- While nothing more is taken, requests like the last refused one are refused as it was.
  traits text;
  refused_traits text;
  refused hold_decision;
BEGIN
  IF limits <> '{}' THEN
    owners := ARRAY(SELECT owner_id FROM unnest(limits));
  END IF;
  FOR request IN
    SELECT account_id, estimate, lowest, alone_below, is_whole, needs_budget, needed_tokens,
      ordinality::int AS position,
      array_position(owners, end_user_owner_id(key_id, of_key)) AS user_at,
      array_position(owners, key_id) AS key_at, array_position(owners, account_id) AS account_at
    FROM unnest(account_ids, key_ids, end_users, estimates, leasts, alone_belows, wholes, budgeted,
      tokens)
      WITH ORDINALITY AS requested (account_id, key_id, of_key, estimate, lowest, alone_below,
        is_whole, needs_budget, needed_tokens, ordinality)
    ORDER BY account_id, ordinality
  LOOP
    IF owner IS DISTINCT FROM request.account_id THEN
      owner := request.account_id;
      SELECT balance_nano_usd, balance_nano_usd - held_nano_usd INTO balance, available
        FROM wallet WHERE account_id = owner;
      balance := coalesce(balance, 0);
      available := coalesce(available, 0);
    END IF;
    decision := NULL;
    IF request.key_at IS NULL AND request.account_at IS NULL THEN
      decision.taken := nullif(compute_hold(request.estimate, request.lowest,
        request.alone_below, request.is_whole, available, available = balance), 0);
    ELSE
      traits := concat_ws(' ', coalesce(request.user_at, 0), request.key_at, request.account_at,
        request.estimate,
        request.lowest, request.alone_below, request.is_whole, request.needs_budget,
        request.needed_tokens);
      IF traits = refused_traits THEN
        decision := refused;
      ELSE
        decision := decide_limited_hold(limits[request.user_at], limits[request.key_at],
          limits[request.account_at], available, balance, request.estimate, request.lowest,
          request.alone_below, request.is_whole, request.needs_budget,
          request.needed_tokens);
      END IF;
      IF decision.taken IS NULL THEN
        refused_traits := traits;
        refused := decision;
      ELSE
        refused_traits := NULL;
        FOREACH at IN ARRAY ARRAY[request.user_at, request.key_at, request.account_at] LOOP
          CONTINUE WHEN at IS NULL;
          limits[at] := take_from_limits(limits[at], decision.taken, 1, request.needed_tokens, 1);
        END LOOP;
      END IF;
      decision.rates := format_rates(
        limits[request.user_at], limits[request.key_at], limits[request.account_at]);
    END IF;
    available := available - coalesce(decision.taken, 0);
    decision.wallet_held := balance - available;
    decision.wallet_balance := balance;
    decisions[request.position] := decision;
  END LOOP;
  RETURN decisions;
END $$;
