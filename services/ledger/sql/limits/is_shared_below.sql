-- Returns whether less than `amount` is left of an owner's budget, and holds reserve some of it.
CREATE OR REPLACE FUNCTION is_shared_below(limits limits_left, amount bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(
    limits.budget_left < amount AND limits.held_nano_usd + limits.added_nano_usd > 0, false)
$$;
