-- Kept as they came: of what is packed, a piece cannot be read without all that is before it.
ALTER TABLE idempotency_record ALTER COLUMN body SET STORAGE EXTERNAL;
