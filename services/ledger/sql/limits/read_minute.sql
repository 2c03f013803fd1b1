-- Returns what was used in the seconds of the last minute, and in how many milliseconds each of
-- them leaves it.
CREATE OR REPLACE FUNCTION read_minute(
  counted_requests bigint[], counted_tokens bigint[], counted_at timestamptz[]
)
RETURNS TABLE (requests bigint, tokens bigint, left_ms bigint) LANGUAGE sql STABLE AS $$
  SELECT requests, tokens,
    ceil(extract(epoch FROM at + interval '60 seconds' - now()) * 1000)::bigint
  FROM unnest(counted_requests, counted_tokens, counted_at) AS second (requests, tokens, at)
  WHERE at > now() - interval '60 seconds'
$$;
