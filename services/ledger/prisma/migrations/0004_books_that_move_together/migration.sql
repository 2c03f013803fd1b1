-- The books move together: a wallet's balance moves by its entries and what it holds by its holds,
-- both by triggers, and by nothing else. The statements that move money are functions, so that they
-- change with the tables and replicas of two versions run the same ones.

-- Every look-up by key is written so that no plan can make a scan of it: a plan is kept for long, and
-- may have been made while the tables were all but empty. Hence the loops, the limits and the arrays.

-- Entries can be partitioned by the time they were recorded at: what must be unique over all of
-- them is kept in tables of its own.
ALTER TABLE entry DROP CONSTRAINT entry_pkey;
ALTER TABLE entry ADD PRIMARY KEY (id, recorded_at);

-- The events that the ledger has. What makes consumption exactly once.
CREATE TABLE recorded_event (
  event_id    text PRIMARY KEY,
  recorded_at timestamptz(6) NOT NULL DEFAULT now()
);

-- What a charge id was charged, in its one charge.
CREATE TABLE charge (
  charge_id        text PRIMARY KEY,
  charged_nano_usd bigint NOT NULL CHECK (charged_nano_usd >= 0),
  recorded_at      timestamptz(6) NOT NULL DEFAULT now()
);

-- What an account was charged in an hour (UTC): the sum of its usage entries.
CREATE TABLE spend_hour (
  account_id       text NOT NULL,
  hour             timestamptz(6) NOT NULL,
  charged_nano_usd bigint NOT NULL CHECK (charged_nano_usd >= 0),
  PRIMARY KEY (account_id, hour)
);

INSERT INTO recorded_event (event_id, recorded_at) SELECT event_id, recorded_at FROM entry;
INSERT INTO charge (charge_id, charged_nano_usd, recorded_at)
  SELECT charge_id, -amount_nano_usd, recorded_at FROM entry WHERE charge_id IS NOT NULL;
INSERT INTO spend_hour (account_id, hour, charged_nano_usd)
  SELECT account_id, date_trunc('hour', recorded_at, 'UTC'), -sum(amount_nano_usd)
  FROM entry WHERE kind = 'usage' AND amount_nano_usd <> 0 GROUP BY 1, 2;

DROP INDEX entry_event_id;
DROP INDEX entry_charge_id;
-- A top-up finds the one before it that had the same reference.
CREATE INDEX entry_top_up_event_id ON entry (event_id) WHERE kind = 'top_up';
DROP INDEX entry_account_recorded_at;
CREATE INDEX entry_account_recorded_at ON entry (account_id, recorded_at, id)
  INCLUDE (kind, amount_nano_usd);

-- Follows every entry with what comes of it. Whoever writes entries has locked their wallets.
CREATE FUNCTION follow_entries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  due record;
BEGIN
  INSERT INTO recorded_event (event_id) SELECT event_id FROM written;
  INSERT INTO charge (charge_id, charged_nano_usd)
    SELECT charge_id, -amount_nano_usd FROM written WHERE charge_id IS NOT NULL;
  FOR due IN
    SELECT account_id, sum(amount_nano_usd)::bigint AS amount
    FROM written WHERE amount_nano_usd <> 0 GROUP BY account_id ORDER BY account_id
  LOOP
    UPDATE wallet SET balance_nano_usd = balance_nano_usd + due.amount
      WHERE account_id = due.account_id;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'entries move the money of wallets that are there';
    END IF;
  END LOOP;
  INSERT INTO spend_hour AS spent (account_id, hour, charged_nano_usd)
    SELECT account_id, date_trunc('hour', recorded_at, 'UTC'), -sum(amount_nano_usd)
    FROM written WHERE kind = 'usage' AND amount_nano_usd <> 0 GROUP BY 1, 2
    ON CONFLICT (account_id, hour) DO UPDATE SET
      charged_nano_usd = spent.charged_nano_usd + excluded.charged_nano_usd;
  RETURN NULL;
END $$;

CREATE TRIGGER entry_followed AFTER INSERT ON entry
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION follow_entries();

-- A wallet holds what its holds add up to.
CREATE FUNCTION follow_new_holds() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  due record;
BEGIN
  FOR due IN
    SELECT account_id, sum(amount_nano_usd)::bigint AS amount
    FROM written GROUP BY account_id ORDER BY account_id
  LOOP
    UPDATE wallet SET held_nano_usd = held_nano_usd + due.amount
      WHERE account_id = due.account_id;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'holds are of wallets that are there';
    END IF;
  END LOOP;
  RETURN NULL;
END $$;

CREATE FUNCTION follow_ended_holds() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  due record;
BEGIN
  FOR due IN
    SELECT account_id, sum(amount_nano_usd)::bigint AS amount
    FROM gone GROUP BY account_id ORDER BY account_id
  LOOP
    UPDATE wallet SET held_nano_usd = held_nano_usd - due.amount
      WHERE account_id = due.account_id;
  END LOOP;
  RETURN NULL;
END $$;

CREATE FUNCTION follow_changed_holds() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  due record;
BEGIN
  FOR due IN
    SELECT account_id, sum(amount)::bigint AS amount FROM (
      SELECT account_id, amount_nano_usd AS amount FROM written
      UNION ALL SELECT account_id, -amount_nano_usd FROM gone
    ) changes GROUP BY account_id HAVING sum(amount) <> 0 ORDER BY account_id
  LOOP
    UPDATE wallet SET held_nano_usd = held_nano_usd + due.amount
      WHERE account_id = due.account_id;
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER hold_taken AFTER INSERT ON hold
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION follow_new_holds();
CREATE TRIGGER hold_changed AFTER UPDATE ON hold
  REFERENCING NEW TABLE AS written OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION follow_changed_holds();
CREATE TRIGGER hold_ended AFTER DELETE ON hold
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION follow_ended_holds();

-- Refuses what is not done by one of the triggers above.
CREATE FUNCTION refuse_direct_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_trigger_depth() > 1 THEN
    RETURN coalesce(NEW, OLD);
  END IF;
  RAISE EXCEPTION '% moves by entries and holds alone', TG_TABLE_NAME;
END $$;

CREATE TRIGGER wallet_opens_empty BEFORE INSERT ON wallet FOR EACH ROW
  WHEN (NEW.balance_nano_usd <> 0 OR NEW.held_nano_usd <> 0)
  EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER wallet_follows BEFORE UPDATE OR DELETE ON wallet
  FOR EACH ROW EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER wallet_no_truncate BEFORE TRUNCATE ON wallet
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER hold_no_truncate BEFORE TRUNCATE ON hold
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER recorded_event_follows BEFORE INSERT OR UPDATE OR DELETE ON recorded_event
  FOR EACH ROW EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER charge_follows BEFORE INSERT OR UPDATE OR DELETE ON charge
  FOR EACH ROW EXECUTE FUNCTION refuse_direct_change();
CREATE TRIGGER spend_hour_follows BEFORE INSERT OR UPDATE OR DELETE ON spend_hour
  FOR EACH ROW EXECUTE FUNCTION refuse_direct_change();

-- Takes holds of min(estimate, available), in their order: within a wallet each is served from what
-- those before it left. Wallets are locked first and by id, as everywhere; what is read after the
-- lock is what every other writer of these wallets has committed, so that two replicas never grant
-- the same money. A grant of zero is no hold.
--
-- A hold's commit is not waited for on disk. A database that crashes may forget the holds of its
-- last moments, the wallet's share with them, so nothing falls apart: their calls settle as those
-- of expired holds do. Entries are always waited for.
CREATE FUNCTION take_holds(hold_ids text[], account_ids text[], estimates bigint[], hold_ms bigint)
RETURNS TABLE (granted bigint, wallet_held bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM FROM wallet WHERE account_id = ANY (account_ids) ORDER BY account_id FOR UPDATE;
  RETURN QUERY
    WITH demanded AS (
      SELECT o.*, coalesce(w.held_nano_usd, 0) AS held,
        coalesce(w.balance_nano_usd - w.held_nano_usd, 0) AS available,
        sum(o.estimate) OVER (PARTITION BY o.account_id ORDER BY o.position) - o.estimate AS ahead
      FROM unnest(hold_ids, account_ids, estimates)
        WITH ORDINALITY AS o (hold_id, account_id, estimate, position)
      LEFT JOIN LATERAL (
        SELECT balance_nano_usd, held_nano_usd FROM wallet WHERE account_id = o.account_id LIMIT 1
      ) w ON true
    ), decided AS (
      SELECT *,
        greatest(0, least(estimate, available - least(ahead, available)))::bigint AS amount
      FROM demanded
    ), written AS (
      INSERT INTO hold (id, account_id, amount_nano_usd, expires_at)
      SELECT hold_id, account_id, amount, now() + hold_ms * interval '1 millisecond'
      FROM decided WHERE amount > 0
    )
    SELECT amount,
      (held + sum(amount) OVER (PARTITION BY account_id ORDER BY position))::bigint
    FROM decided ORDER BY position;
END $$;

-- Adds to a hold what is free, up to the estimate. One that has expired is made anew with that.
CREATE FUNCTION grow_hold(hold_id text, owner text, estimate bigint, hold_ms bigint)
RETURNS TABLE (added bigint, wallet_held bigint) LANGUAGE plpgsql AS $$
DECLARE
  w wallet;
BEGIN
  SELECT * INTO w FROM wallet WHERE account_id = owner FOR UPDATE;
  added := coalesce(least(estimate, w.balance_nano_usd - w.held_nano_usd), 0);
  wallet_held := coalesce(w.held_nano_usd, 0) + added;
  IF added > 0 THEN
    INSERT INTO hold (id, account_id, amount_nano_usd, expires_at)
    VALUES (hold_id, owner, added, now() + hold_ms * interval '1 millisecond')
    ON CONFLICT (id) DO UPDATE SET
      amount_nano_usd = hold.amount_nano_usd + excluded.amount_nano_usd,
      expires_at = excluded.expires_at;
  END IF;
  RETURN NEXT;
END $$;

-- Captures usage events, in their order, each exactly once. A charge is the cost, but no more than
-- the client was told, and no more than the event's own hold and what is free besides: money that
-- other requests hold is never touched. A usage whose charge id was charged before costs nothing,
-- and its entry refers to that id. A conversation that is deleted by now is not linked to. Wallets
-- are locked first and by id, as everywhere; what is read after the lock is what every other writer
-- of these wallets has committed.
-- Answers what of their cost stays uncollected, all together.
DROP FUNCTION capture_events(jsonb);
CREATE FUNCTION capture_events(events jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  e record;
  owner text;
  free bigint;
  cost bigint;
  paid bigint;
  line entry;
  lines entry[] := '{}';
  settled text[] := '{}';
  charged text[] := '{}';
  uncollected bigint := 0;
BEGIN
  PERFORM FROM wallet
    WHERE account_id = ANY (
      ARRAY(SELECT event ->> 'account_id' FROM jsonb_array_elements(events) event)
    )
    ORDER BY account_id FOR UPDATE;
  FOR e IN
    SELECT batch.event, batch.account_id, batch.hold_id,
      coalesce(w.balance_nano_usd - w.held_nano_usd, 0) AS available,
      CASE row_number() OVER (PARTITION BY h.id ORDER BY batch.position)
        WHEN 1 THEN coalesce(h.amount_nano_usd, 0) ELSE 0
      END AS own_hold
    FROM (
      SELECT DISTINCT ON (event ->> 'event_id') event, position,
        event ->> 'event_id' AS event_id, event ->> 'account_id' AS account_id,
        event ->> 'hold_id' AS hold_id
      FROM jsonb_array_elements(events) WITH ORDINALITY AS given (event, position)
      ORDER BY event ->> 'event_id', position
    ) batch
    LEFT JOIN LATERAL (
      SELECT balance_nano_usd, held_nano_usd FROM wallet
      WHERE account_id = batch.account_id LIMIT 1
    ) w ON true
    LEFT JOIN LATERAL (
      SELECT id, amount_nano_usd FROM hold
      WHERE id = batch.hold_id AND account_id = batch.account_id LIMIT 1
    ) h ON true
    WHERE (SELECT r.event_id FROM recorded_event r WHERE r.event_id = batch.event_id) IS NULL
    ORDER BY batch.account_id, batch.position
  LOOP
    IF owner IS DISTINCT FROM e.account_id THEN
      owner := e.account_id;
      free := e.available;
    END IF;
    line := jsonb_populate_record(NULL::entry, e.event);
    cost := (e.event ->> 'cost')::bigint;
    line.reference := '';
    IF line.charge_id = ANY (charged)
      OR EXISTS (SELECT FROM charge c WHERE c.charge_id = line.charge_id)
    THEN
      line.reference := line.charge_id;
      line.charge_id := NULL;
      cost := 0;
    ELSIF line.charge_id IS NOT NULL THEN
      charged := array_append(charged, line.charge_id);
    END IF;
    IF EXISTS (SELECT FROM deleted_conversation d WHERE d.conversation_id = line.conversation_id)
    THEN
      line.conversation_id := NULL;
    END IF;
    free := free + e.own_hold;
    paid := least(cost, (e.event ->> 'charge_limit')::bigint, free);
    free := free - paid;
    line.amount_nano_usd := -paid;
    line.cost_nano_usd := cost;
    line.uncollected_nano_usd := cost - paid;
    uncollected := uncollected + cost - paid;
    line.corpus_size := coalesce(line.corpus_size, 0);
    line.recorded_at := now();
    lines := array_append(lines, line);
    IF e.own_hold > 0 THEN
      settled := array_append(settled, e.hold_id);
    END IF;
  END LOOP;
  DELETE FROM hold WHERE id = ANY (settled);
  INSERT INTO entry SELECT * FROM unnest(lines);
  RETURN uncollected;
END $$;
