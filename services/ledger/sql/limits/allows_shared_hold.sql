-- Returns whether the shared holds of an owner, with one more, take at most one part in `parts` of
-- what nothing else uses of each of its limits. A limit that the owner does not have fits anything.
CREATE OR REPLACE FUNCTION allows_shared_hold(
  limits limits_left, amount bigint, new_requests bigint, new_tokens bigint,
  new_in_progress bigint, parts bigint
)
RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  shared record;
BEGIN
  IF limits.owner_id IS NULL THEN
    RETURN true;
  END IF;
  SELECT coalesce(sum(h.amount_nano_usd), 0) AS amount, coalesce(sum(h.requests), 0) AS requests,
    coalesce(sum(h.tokens), 0) AS tokens, coalesce(sum(h.in_progress), 0) AS in_progress
    INTO shared
    FROM hold h WHERE h.account_id = limits.account_id AND h.is_shared
      AND limits.owner_id IN (h.account_id, h.key_id);
  RETURN coalesce(shared.amount + amount <= (shared.amount + limits.budget_left) / parts, true)
    AND coalesce(
      shared.requests + new_requests <= (shared.requests + limits.requests_left) / parts, true)
    AND coalesce(shared.tokens + new_tokens <= (shared.tokens + limits.tokens_left) / parts, true)
    AND coalesce(shared.in_progress + new_in_progress
      <= (shared.in_progress + limits.parallel_left) / parts, true);
END $$;
