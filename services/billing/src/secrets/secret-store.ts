import { randomUUID } from "node:crypto";
import type { SealedSecret } from "@tollgate/core/secrets-key";
import type pg from "pg";

/** A secret as its row has it. */
export interface SecretRow extends SealedSecret {
  name: string;
  version: string;
  hint: string;
  setByKind: string;
  setBy: string;
  setAt: Date;
  lastUsedAt: Date | null;
}

/** The most secrets that are stored. */
export const maxSecrets = 1_000;

const columns = `name, version, ciphertext, wrapped_key AS "wrappedKey", key_id AS "keyId", hint,
  set_by_kind AS "setByKind", set_by AS "setBy", set_at AS "setAt", last_used_at AS "lastUsedAt"`;

/** Returns a version of a row that no other has had. */
export function newSecretVersion(): string {
  return randomUUID();
}

export async function listSecretRows(pool: pg.Pool): Promise<SecretRow[]> {
  const { rows } = await pool.query<SecretRow>(
    `SELECT ${columns} FROM billing.provider_secret ORDER BY name`,
  );
  return rows;
}

/** Returns a text that changes whenever a secret is set, wrapped again or removed. */
export async function versionOfSecrets(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ version: string }>(
    `SELECT encode(sha256(convert_to(coalesce(string_agg(name || ' ' || version, ',' ORDER BY name), ''),
       'UTF8')), 'hex') AS version
     FROM billing.provider_secret`,
  );
  return rows[0]?.version ?? "";
}

/** Records that secrets were sent to providers at `at`. */
export async function recordUse(pool: pg.Pool, names: readonly string[], at: Date): Promise<void> {
  if (names.length === 0) return;
  await pool.query(
    `UPDATE billing.provider_secret SET last_used_at = greatest(last_used_at, $2)
     WHERE name = ANY($1)`,
    [names, at],
  );
}
