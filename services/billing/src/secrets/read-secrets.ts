import type { SecretService } from "@tollgate/proto/tollgate/v1/secret";
import type { Implementation } from "@tollgate/rpc/implementation";
import type pg from "pg";
import { listSecretRows, recordUse, versionOfSecrets } from "./secret-store.ts";

/** Returns the call by which services that call providers read the sealed secrets. */
export function implementSecretReads(
  pool: pg.Pool,
  now: () => Date,
): Implementation<typeof SecretService> {
  return {
    async readSecrets({ knownVersion, used }) {
      await recordUse(pool, used, now());
      // Read first: a secret that is set in between is sent with the older version, and then again.
      const version = await versionOfSecrets(pool);
      if (version === knownVersion) return { version };
      return { version, secrets: await listSecretRows(pool) };
    },
  };
}
