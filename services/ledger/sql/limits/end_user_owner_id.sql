-- Returns the owner id of the limits of an end user of a key. Requests that name no end user are
-- those of one user of their key, whose name is empty.
CREATE OR REPLACE FUNCTION end_user_owner_id(key text, of_key text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT key || ':' || of_key $$;
