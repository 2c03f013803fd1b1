-- Creates the partition of `entry` for a month (UTC), named as `entry_2026_11`, unless it exists.
-- Every replica may call it at the same time.
--
-- Returns the outcome:
--   exists    the month has its partition
--   created   the month has it now
--   detached  a table of the name exists that is not a partition
--   default   entry_default has entries of the month, which stay there
-- Locks: attaching blocks no capture. It locks entry_default for a moment, which every read of
-- entries waits for; where that takes more than a second, the call fails and changes nothing.
--
-- Runs with the rights of the migrations' role: a service may have fewer.
CREATE OR REPLACE FUNCTION create_entry_partition(month date) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ledger, pg_temp AS $$
DECLARE
  first timestamp := date_trunc('month', month::timestamp);
  name text := 'entry_' || to_char(first, 'YYYY_MM');
BEGIN
  PERFORM set_config('lock_timeout', '1s', true);
  -- A number that nothing else locks. Replicas take turns.
  PERFORM pg_advisory_xact_lock(7464108428);
  IF to_regclass(name) IS NOT NULL THEN
    RETURN CASE
      WHEN EXISTS (SELECT FROM pg_inherits
        WHERE inhparent = 'entry'::regclass AND inhrelid = name::regclass) THEN 'exists'
      ELSE 'detached'
    END;
  END IF;
  BEGIN
    EXECUTE format(
      'CREATE TABLE %I (LIKE entry INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)',
      name);
    -- The triggers of `entry` do not see what is written to the partition by its name.
    EXECUTE format('CREATE TRIGGER %I BEFORE INSERT ON %I FOR EACH STATEMENT
      EXECUTE FUNCTION refuse_direct_change()', name || '_no_direct_insert', name);
    EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON %I FOR EACH STATEMENT
      EXECUTE FUNCTION refuse_entry_change()', name || '_no_truncate', name);
    EXECUTE format('ALTER TABLE entry ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      name, first AT TIME ZONE 'UTC', (first + interval '1 month') AT TIME ZONE 'UTC');
    INSERT INTO entry_month (month) VALUES (first AT TIME ZONE 'UTC') ON CONFLICT DO NOTHING;
  EXCEPTION WHEN check_violation THEN
    RETURN 'default';
  END;
  RETURN 'created';
END $$;
