import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Implementation } from "@tollgate/rpc/implementation";
import { flushCaptures, type LedgerParts } from "./ledger-parts.ts";
import { listEndUsers, listLimits, setLimits, setTimeZone } from "./limits.ts";
import { adjust, findWallet, topUp } from "./wallet.ts";

/** Returns the calls about wallets and limits. */
export function implementWalletCalls(parts: LedgerParts) {
  const { pool, locks, now } = parts;

  return {
    topUp: ({ accountId, amountNanoUsd, reference }) =>
      locks.run(accountId, () => topUp(pool, { accountId, amountNanoUsd, reference, at: now() })),
    adjust: ({ accountId, amountNanoUsd, reason, reference }) =>
      locks.run(accountId, () =>
        adjust(pool, { accountId, amountNanoUsd, reason, reference, at: now() }),
      ),
    async getWallet({ accountId }) {
      await flushCaptures(parts, accountId);
      const wallet = await findWallet(pool, accountId);
      return wallet === undefined ? {} : { wallet };
    },
    async setLimits({ accountId, ownerId, limits }) {
      const use = await locks.run(accountId, () => setLimits(pool, { accountId, ownerId, limits }));
      return use === undefined ? {} : { use };
    },
    async setTimeZone({ accountId, timeZone }) {
      await locks.run(accountId, () => setTimeZone(pool, { accountId, timeZone }));
      return {};
    },
    async listLimits({ ownerIds }) {
      await flushCaptures(parts);
      return { uses: await listLimits(pool, ownerIds) };
    },
    async listEndUsers(query) {
      await flushCaptures(parts);
      return { uses: await listEndUsers(pool, query) };
    },
  } satisfies Partial<Implementation<typeof LedgerService>>;
}
