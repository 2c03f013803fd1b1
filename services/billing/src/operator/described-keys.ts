import type { Catalog } from "@tollgate/catalog/model";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Key } from "@tollgate/proto/tollgate/v1/operator";
import type { Client } from "@tollgate/rpc/implementation";
import type { StoredKey } from "../keys.ts";
import { findLimits } from "../limits.ts";
import { unmatchedModels } from "../unmatched-models.ts";
import { toKey } from "./account-messages.ts";

type Ledger = Client<typeof LedgerService>;

/** Resolves with keys as messages, with their limits from the ledger. */
export async function describeKeys(ledger: Ledger, keys: readonly StoredKey[]): Promise<Key[]> {
  const limited = keys.filter(({ isLimited }) => isLimited).map(({ id }) => id);
  const limits = await findLimits(ledger, limited);
  return keys.map((key) => toKey(key, limits.get(key.id)));
}

/** Resolves with one key as a message, with the patterns of its models that match none. */
export async function describeKey(
  ledger: Ledger,
  catalog: Catalog,
  stored: StoredKey,
): Promise<Key> {
  const limits = await findLimits(ledger, stored.isLimited ? [stored.id] : []);
  const key = toKey(stored, limits.get(stored.id));
  key.unmatchedModels = unmatchedModels(key.models, catalog);
  return key;
}
