-- Returns what each of `event_count` events is charged, as capture_usage describes it, in their
-- order. NULL: it has no capture. `captures` are in order of account id and position: each gets
-- what those before it left of the wallet, and of the `budgets`, to which user_at, key_at and
-- account_at refer.
-- Locks: the caller has locked the wallets.
CREATE OR REPLACE FUNCTION decide_charges(captures capture[], budgets bigint[], event_count integer)
RETURNS charge_decision[] LANGUAGE plpgsql AS $$
DECLARE
  event capture;
  owner text;
  available bigint;
  released bigint;
  user_released bigint;
  key_released bigint;
  affordable bigint;
  due bigint;
  charge_ids text[] := '{}';
  charged bigint;
  decisions charge_decision[] := array_fill(NULL::charge_decision, ARRAY[event_count]);
BEGIN
  FOREACH event IN ARRAY captures LOOP
    IF owner IS DISTINCT FROM event.account_id THEN
      owner := event.account_id;
      available := coalesce(
        (SELECT balance_nano_usd - held_nano_usd FROM wallet WHERE account_id = owner), 0);
    END IF;
    released := coalesce(event.own_amount, 0) + event.shared_amount;
    available := available + released;
    due := event.cost;
    IF event.charge_id IS NOT NULL THEN
      event.is_repeated := event.is_repeated OR event.charge_id = ANY (charge_ids);
      charge_ids := array_append(charge_ids, event.charge_id);
      due := CASE WHEN event.is_repeated THEN 0 ELSE event.cost END;
    END IF;
    charged := least(due, event.charge_limit, available);
    IF event.key_at IS NOT NULL OR event.account_at IS NOT NULL THEN
      key_released := coalesce(CASE WHEN event.own_is_of_key THEN event.own_amount END, 0)
        + CASE WHEN event.shared_is_of_key THEN event.shared_amount ELSE 0 END;
      user_released := coalesce(CASE WHEN event.own_is_of_user THEN event.own_amount END, 0)
        + CASE WHEN event.shared_is_of_user THEN event.shared_amount ELSE 0 END;
      affordable := least(budgets[event.user_at] + user_released,
        budgets[event.key_at] + key_released, budgets[event.account_at] + released);
      charged := least(charged,
        CASE WHEN affordable IS NOT NULL THEN greatest(released, affordable) END);
      IF event.user_at IS NOT NULL THEN
        budgets[event.user_at] := budgets[event.user_at] + user_released - charged;
      END IF;
      IF event.key_at IS NOT NULL THEN
        budgets[event.key_at] := budgets[event.key_at] + key_released - charged;
      END IF;
      IF event.account_at IS NOT NULL THEN
        budgets[event.account_at] := budgets[event.account_at] + released - charged;
      END IF;
    END IF;
    available := available - charged;
    decisions[event.position] := (due, charged, event.is_repeated)::charge_decision;
  END LOOP;
  RETURN decisions;
END $$;
