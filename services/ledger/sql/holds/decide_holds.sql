-- Returns the decisions about holds, as take_holds describes them, in the order of the arrays. `limits`
-- is what is left of the limits of their keys and accounts, where there are any.
-- Locks: the caller has locked the wallets.
CREATE OR REPLACE FUNCTION decide_holds(
  account_ids text[], key_ids text[], estimates bigint[], leasts bigint[], alone_belows bigint[],
  wholes boolean[], budgeted boolean[], tokens bigint[], limits limits_left[]
)
RETURNS hold_decision[] LANGUAGE plpgsql AS $$
DECLARE
  request record;
  owners text[] := '{}';
  owner text;
  balance bigint;
  available bigint;
  key limits_left;
  account limits_left;
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
      array_position(owners, key_id) AS key_at, array_position(owners, account_id) AS account_at
    FROM unnest(account_ids, key_ids, estimates, leasts, alone_belows, wholes, budgeted, tokens)
      WITH ORDINALITY AS requested (account_id, key_id, estimate, lowest, alone_below, is_whole,
        needs_budget, needed_tokens, ordinality)
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
      key := limits[request.key_at];
      account := limits[request.account_at];
      traits := concat_ws(' ', request.key_at, request.account_at, request.estimate,
        request.lowest, request.alone_below, request.is_whole, request.needs_budget,
        request.needed_tokens);
      IF traits = refused_traits THEN
        decision := refused;
      ELSE
        decision := decide_limited_hold(key, account, available, balance, request.estimate,
          request.lowest, request.alone_below, request.is_whole, request.needs_budget,
          request.needed_tokens);
      END IF;
      IF decision.taken IS NULL THEN
        refused_traits := traits;
        refused := decision;
      ELSE
        refused_traits := NULL;
        IF request.key_at IS NOT NULL THEN
          key := take_from_limits(key, decision.taken, 1, request.needed_tokens, 1);
          limits[request.key_at] := key;
        END IF;
        IF request.account_at IS NOT NULL THEN
          account := take_from_limits(account, decision.taken, 1, request.needed_tokens, 1);
          limits[request.account_at] := account;
        END IF;
      END IF;
      decision.rates := format_rates(key, account);
    END IF;
    available := available - coalesce(decision.taken, 0);
    decision.wallet_held := balance - available;
    decision.wallet_balance := balance;
    decisions[request.position] := decision;
  END LOOP;
  RETURN decisions;
END $$;
