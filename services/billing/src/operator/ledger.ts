import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { accountIdOf, nameAccounts } from "../accounts.ts";
import { findLabelledKeys, readKeyLabels } from "../labelled-keys.ts";
import { readMonthText, startOfMonth } from "../statements/months.ts";
import { findEndUser } from "./end-users.ts";
import { nameSums } from "./names.ts";
import type { OperatorParts } from "./parts.ts";

/** A verification reads every entry. */
const verifyTimeoutMs = 60 * 60 * 1_000;

/** The operator's calls about entries and usage. */
export function implementLedger({ prisma, ledger, credits, now }: OperatorParts) {
  return {
    async listLedger({ account, limit, beforeEntryId, filter }) {
      const accountId = await accountIdOf(prisma, account);
      const page = { accountId, limit, beforeEntryId, ...(filter && { filter }) };
      const { entries } = await ledger.listEntries(page);
      return { entries };
    },
    async readMonth({ month: text }) {
      const month = text === "" ? startOfMonth(now()) : readMonthText(text);
      const { wallets, hasMore, total } = await credits.sumWallets({
        from: timestampFromDate(month),
        to: timestampFromDate(startOfMonth(month, 1)),
      });
      const names = await nameAccounts(
        prisma,
        wallets.map(({ accountId }) => accountId),
      );
      return {
        wallets: wallets.map((one) => ({ ...one, accountName: names.get(one.accountId) ?? "" })),
        hasMore,
        ...(total && { total }),
      };
    },
    async readUsage({ account, from, to, by, thenBy, filter, thenMost, withTimes }) {
      const accountId = await accountIdOf(prisma, account);
      const { tag = "", owner = "" } = filter ?? {};
      const [keyLabels, keys, endUser] = await Promise.all([
        readKeyLabels(prisma, { accountId }, [by, thenBy]),
        findLabelledKeys(prisma, { accountId, tag, owner }),
        findEndUser(prisma, { accountId, named: filter?.endUser ?? "" }),
      ]);
      const usage = await ledger.sumUsage({
        ...{ accountId, by, thenBy, thenMost, withTimes, keyLabels },
        ...(from && { from }),
        ...(to && { to }),
        ...(filter && { filter: { ...filter, endUser } }),
        ...(keys && { keys }),
      });
      return { usage, names: await nameSums(prisma, usage.sums, [by, thenBy]) };
    },
    async verifyLedger() {
      return { result: await ledger.verify({}, { timeoutMs: verifyTimeoutMs }) };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}
