-- Replaces the providers' keys that a replica reports as refused. Also forgets those of replicas
-- that report no more.
CREATE OR REPLACE FUNCTION report_refused_keys(
  of_replica text, providers text[], key_names text[], texts text[], statuses int[]
) RETURNS void
LANGUAGE sql AS $$
  DELETE FROM refused_key
    WHERE (replica_id = of_replica AND (provider, key_name) NOT IN (
        SELECT * FROM unnest(providers, key_names)))
      OR reported_at < now() - interval '10 minutes';
  INSERT INTO refused_key (replica_id, provider, key_name, said, status)
    SELECT of_replica, provider, key_name, said, status
    FROM unnest(providers, key_names, texts, statuses)
      AS refused (provider, key_name, said, status)
    ON CONFLICT (replica_id, provider, key_name) DO UPDATE
      SET said = excluded.said, status = excluded.status, reported_at = now();
$$;
