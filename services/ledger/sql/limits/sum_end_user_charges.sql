-- Returns what an end user of a key was charged since a point in time. Requests without an end user
-- are found among all entries of the account: no index has them apart.
CREATE OR REPLACE FUNCTION sum_end_user_charges(
  account text, key text, of_key text, start timestamptz
)
RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF of_key = '' THEN
    RETURN (SELECT coalesce(-sum(amount_nano_usd), 0) FROM entry
      WHERE account_id = account AND recorded_at >= start AND key_id = key AND end_user = ''
        AND kind = 'usage');
  END IF;
  RETURN (SELECT coalesce(-sum(amount_nano_usd), 0) FROM entry
    WHERE key_id = key AND end_user = of_key AND end_user <> '' AND recorded_at >= start
      AND kind = 'usage');
END $$;
