-- Returns what the keys of an account were charged since a point in time. Reads the sums of full
-- days (UTC), then those of hours, and entries only of an hour that the point divides: periods of
-- time zones whose offset is not in whole hours begin so.
CREATE OR REPLACE FUNCTION sum_charges_since(account text, start timestamptz)
RETURNS TABLE (key_id text, charged numeric) LANGUAGE plpgsql STABLE AS $$
DECLARE
  first_hour constant timestamptz := date_trunc('hour', start - interval '1 microsecond')
    + interval '1 hour';
  first_day constant timestamptz := date_trunc('day', start - interval '1 microsecond', 'UTC')
    + interval '1 day';
BEGIN
  RETURN QUERY SELECT part.key_id, sum(part.charged) FROM (
    SELECT d.key_id, d.charged_nano_usd::numeric AS charged FROM usage_day d
      WHERE d.account_id = account AND d.day >= first_day
    UNION ALL
    SELECT h.key_id, h.charged_nano_usd FROM usage_hour h
      WHERE h.account_id = account AND h.hour >= first_hour AND h.hour < first_day
    UNION ALL
    SELECT e.key_id, -e.amount_nano_usd FROM entry e
      WHERE e.account_id = account AND e.kind = 'usage'
        AND e.recorded_at >= start AND e.recorded_at < first_hour
  ) part GROUP BY part.key_id;
END $$;
