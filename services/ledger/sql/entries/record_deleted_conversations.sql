-- Records that conversations of `owner` are deleted: no entry is linked to them from then on.
-- Locks: the wallet first. A capture takes the same lock, so that each one either sees the deletion
-- or has committed its entries before it.
CREATE OR REPLACE FUNCTION record_deleted_conversations(owner text, conversation_ids text[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('lock_timeout', '100ms', true);
  PERFORM FROM wallet WHERE account_id = owner FOR UPDATE;
  INSERT INTO deleted_conversation (conversation_id) SELECT unnest(conversation_ids)
    ON CONFLICT DO NOTHING;
  DELETE FROM conversation_spend
    WHERE conversation_id = ANY (conversation_ids) AND account_id = owner;
END $$;
