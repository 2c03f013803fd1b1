-- Replaces the open breakers of a replica. Also forgets those of replicas that report no more.
CREATE OR REPLACE FUNCTION report_breakers(of_replica text, slot_ids text[]) RETURNS void
LANGUAGE sql AS $$
  DELETE FROM open_breaker
    WHERE (replica_id = of_replica AND slot_id <> ALL (slot_ids))
      OR reported_at < now() - interval '10 minutes';
  INSERT INTO open_breaker (replica_id, slot_id)
    SELECT of_replica, slot_id FROM unnest(slot_ids) AS slot_id
    ON CONFLICT (replica_id, slot_id) DO UPDATE SET reported_at = now();
$$;
