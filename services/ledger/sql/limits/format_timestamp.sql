-- Returns a time as the JSON of a google.protobuf.Timestamp.
CREATE OR REPLACE FUNCTION format_timestamp(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;
