-- Creates the partitions of `request_trail` and `request_other_id` for today (UTC) and the next two
-- days, named as `request_trail_2026_11_23`, and drops those of days that ended more than
-- `stored_days` days ago. Every replica may call it at the same time. What was recorded on a day
-- without a partition is in the partition `_default`; such a day gets none.
--
-- Locks: creating and dropping lock the tables for a moment, which captures wait for; where that
-- takes more than a second, the call fails and changes nothing.
--
-- Runs with the rights of the migrations' role: a service may have fewer.
CREATE OR REPLACE FUNCTION create_trail_partitions(stored_days integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ledger, pg_temp AS $$
DECLARE
  today timestamp := date_trunc('day', now() AT TIME ZONE 'UTC');
  kept_from timestamp := today - stored_days * interval '1 day';
  day timestamp;
  parent text;
  name text;
BEGIN
  PERFORM set_config('lock_timeout', '1s', true);
  -- A number that nothing else locks. Replicas take turns.
  PERFORM pg_advisory_xact_lock(7464108429);
  FOREACH parent IN ARRAY ARRAY['request_trail', 'request_other_id'] LOOP
    FOR n IN 0 .. 2 LOOP
      day := today + n * interval '1 day';
      name := parent || to_char(day, '_YYYY_MM_DD');
      CONTINUE WHEN to_regclass(name) IS NOT NULL;
      BEGIN
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
          name, parent, day AT TIME ZONE 'UTC', (day + interval '1 day') AT TIME ZONE 'UTC');
      EXCEPTION WHEN check_violation THEN
        -- The day began in the default partition.
        CONTINUE;
      END;
    END LOOP;
    FOR name IN
      SELECT inhrelid::regclass::text FROM pg_inherits
      WHERE inhparent = parent::regclass
        AND inhrelid::regclass::text < parent || to_char(kept_from, '_YYYY_MM_DD')
    LOOP
      EXECUTE format('DROP TABLE %I', name);
    END LOOP;
    EXECUTE format('DELETE FROM %I WHERE recorded_at < %L',
      parent || '_default', kept_from AT TIME ZONE 'UTC');
  END LOOP;
END $$;
