-- Trigger function of `entry`, before each UPDATE, DELETE and TRUNCATE: throws, since entries are
-- append-only. The one change that it lets through is clearing conversation_id.
CREATE OR REPLACE FUNCTION refuse_entry_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.conversation_id IS NULL THEN
    OLD.conversation_id := NULL;
    -- Compares the bytes of the columns: the type json has no equality.
    IF NEW *= OLD THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'ledger entries are append-only';
END $$;
