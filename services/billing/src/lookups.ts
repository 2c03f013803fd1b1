import type { SecretsKey } from "@tollgate/core/secrets-key";
import { type BillingService, KeyState } from "@tollgate/proto/tollgate/v1/billing";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client, Implementation } from "@tollgate/rpc/implementation";
import type pg from "pg";
import { type AdmissionName, admissions } from "./admission.ts";
import { recordContents } from "./contents/record-contents.ts";
import { readAvailable, readCredits } from "./credits.ts";
import { createKeyLookup, findEndedKeys } from "./key-lookup.ts";
import type { KeyUses } from "./key-uses.ts";
import { recordRefusals } from "./refusals/record-refusals.ts";
import { lookUpSettlement } from "./settlement.ts";

interface LookupParts {
  pool: pg.Pool;
  ledger: Client<typeof LedgerService>;
  /** The policy of accounts that have none. */
  admission: AdmissionName;
  /** Encrypts prompts and responses. Undefined: none are stored. */
  contentKey: SecretsKey | undefined;
  keyUses: Pick<KeyUses, "note">;
  now(): Date;
}

/** Returns the calls that the edge makes for requests of clients. */
export function implementLookups({
  pool,
  ledger,
  admission,
  contentKey,
  keyUses,
  now,
}: LookupParts): Implementation<typeof BillingService> {
  const findKey = createKeyLookup(pool, admissions[admission], now);
  return {
    async findKey({ keyHash }) {
      const found = await findKey(keyHash);
      if (found.state !== KeyState.UNKNOWN) keyUses.note(keyHash);
      return found;
    },
    findEndedKeys: async ({ keyHashes }) => ({
      keys: await findEndedKeys(pool, keyHashes, now()),
    }),
    getAvailable: ({ accountId }) => readAvailable(ledger, accountId),
    getCredits: ({ accountId }) => readCredits(ledger, accountId, now()),
    recordRefusals: (request) => recordRefusals(pool, request),
    async recordContents({ contents }) {
      await recordContents(pool, contentKey, contents);
      return {};
    },
    lookUpSettlement: async ({ accountId, requestIds }) => ({
      requests: await lookUpSettlement(ledger, accountId, requestIds),
    }),
  };
}
