-- Returns up to which total an account that uses `own` of a slot's limit may take more of it. While
-- several `accounts` call the slot, the last quarter is reserved for those that use less than an
-- equal share, so that no account blocks the others. NULL is no limit.
CREATE OR REPLACE FUNCTION limit_for_account(most bigint, own bigint, accounts bigint)
RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT most - CASE WHEN accounts > 1 AND most > 1 AND own * accounts >= most
    THEN (most + 3) / 4 ELSE 0 END
$$;
