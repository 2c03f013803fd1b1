-- Trigger function of the tables that only triggers may write (wallet, recorded_event, charge,
-- credit, spend_hour, usage_hour, usage_day, end_user_day), of INSERT into a partition of `entry`
-- by its name, and of TRUNCATE on `hold`: throws unless the change is made by another trigger, that
-- is, by apply_entries, add_to_usage_sums, add_to_end_user_sums or apply_holds.
CREATE OR REPLACE FUNCTION refuse_direct_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_trigger_depth() > 1 THEN
    RETURN coalesce(NEW, OLD);
  END IF;
  RAISE EXCEPTION '% changes only through entries and holds', TG_TABLE_NAME;
END $$;
