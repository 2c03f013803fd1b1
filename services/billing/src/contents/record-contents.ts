import { toBinary } from "@bufbuild/protobuf";
import { invalidParam } from "@tollgate/core/errors";
import type { SecretsKey } from "@tollgate/core/secrets-key";
import { type RequestContent, RequestContentSchema } from "@tollgate/proto/tollgate/v1/content";
import type pg from "pg";
import { contentName } from "./content-key.ts";

const maxContents = 1_000;

/**
 * Encrypts and stores prompts and responses. Those of accounts that do not store them, or are closed, are
 * dropped, and so is everything without a key.
 */
export async function recordContents(
  pool: pg.Pool,
  key: SecretsKey | undefined,
  contents: readonly RequestContent[],
): Promise<void> {
  if (contents.length > maxContents) {
    throw invalidParam("contents", `must be at most ${maxContents}`);
  }
  if (key === undefined || contents.length === 0) return;
  const rows = contents.map((content) => {
    const { requestId, accountId } = content;
    const name = contentName(requestId, accountId);
    return { requestId, accountId, ...key.seal(name, toBinary(RequestContentSchema, content)) };
  });
  await pool.query({
    name: "record-contents",
    text: `INSERT INTO request_content
        (request_id, account_id, ciphertext, wrapped_key, key_id, bytes)
      SELECT request_id, account_id, ciphertext, wrapped_key, key_id, octet_length(ciphertext)
      FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[], $5::text[])
        AS content (request_id, account_id, ciphertext, wrapped_key, key_id)
      WHERE EXISTS (SELECT FROM account
        WHERE id = account_id AND content_days IS NOT NULL AND closed_at IS NULL)
      ON CONFLICT DO NOTHING`,
    values: [
      rows.map(({ requestId }) => requestId),
      rows.map(({ accountId }) => accountId),
      rows.map(({ ciphertext }) => ciphertext),
      rows.map(({ wrappedKey }) => wrappedKey),
      rows.map(({ keyId }) => keyId),
    ],
  });
}
