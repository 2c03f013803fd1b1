-- Returns what a hold takes where `available` nano-USD are, as take_holds describes it. `is_alone`:
-- nothing else is held.
CREATE OR REPLACE FUNCTION compute_hold(
  estimate bigint, lowest bigint, alone_below bigint, is_whole boolean, available bigint,
  is_alone boolean
)
RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN is_whole AND available < estimate THEN 0
    WHEN available < alone_below AND NOT is_alone THEN 0
    ELSE greatest(0, least(estimate, greatest(lowest, available / 8000 * 1000), available))
  END
$$;
