-- Returns the entries of the requests that have an id which their clients, their responses or their
-- providers gave them, newest first, at most `most`. An empty account is any.
--
-- The planner takes the filters of request_other_id_id for useless, since ids are in no order, and
-- would read whole partitions.
CREATE OR REPLACE FUNCTION find_entries_by_id(other_id text, account text, most integer)
RETURNS SETOF text LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY SELECT o.entry_id FROM request_other_id o
    WHERE o.id = other_id AND (account = '' OR o.account_id = account)
    ORDER BY o.recorded_at DESC LIMIT most;
END $$;
