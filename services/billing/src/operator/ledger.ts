import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { accountIdOf, nameAccounts } from "../accounts.ts";
import { entriesCsv } from "../csv/entries-csv.ts";
import { usageCsv } from "../csv/usage-csv.ts";
import { walletsCsv } from "../csv/wallets-csv.ts";
import { findLabelledKeys, readKeyLabels } from "../labelled-keys.ts";
import { readMonthText, startOfMonth } from "../statements/months.ts";
import { pageSize } from "./account-messages.ts";
import { findEndUser } from "./end-users.ts";
import { nameRows, nameSums } from "./names.ts";
import type { OperatorParts } from "./parts.ts";

/** A verification reads every entry. */
const verifyTimeoutMs = 60 * 60 * 1_000;

/** The operator's calls about entries and usage. */
export function implementLedger({ prisma, ledger, credits, actor, now }: OperatorParts) {
  return {
    async listLedger({ account, limit, beforeEntryId, filter, asCsv, order }) {
      const accountId = await accountIdOf(prisma, account);
      const page = {
        accountId,
        limit: pageSize(limit),
        beforeEntryId,
        order,
        ...(filter && { filter }),
      };
      const { entries, nextEntryId } = await ledger.listEntries(page);
      const isFirst = beforeEntryId === "";
      const csv = asCsv && entriesCsv(entries, { isFirst });
      const names = await nameRows(prisma, entries);
      return { entries, nextEntryId, names, ...(csv && { csv }) };
    },
    async readMonth({ month: text, asCsv }) {
      const month = text === "" ? startOfMonth(now()) : readMonthText(text);
      const { wallets, hasMore, total } = await credits.sumWallets({
        from: timestampFromDate(month),
        to: timestampFromDate(startOfMonth(month, 1)),
      });
      const names = await nameAccounts(
        prisma,
        wallets.map(({ accountId }) => accountId),
      );
      const named = wallets.map((one) => ({
        ...one,
        accountName: names.get(one.accountId) ?? "",
      }));
      return {
        wallets: named,
        hasMore,
        ...(total && { total }),
        ...(asCsv && { csv: walletsCsv(named) }),
      };
    },
    async readUsage({ account, from, to, by, thenBy, filter, thenMost, withTimes, asCsv }) {
      const accountId = await accountIdOf(prisma, account);
      const { tag = "", owner = "", without = [] } = filter ?? {};
      const [keyLabels, keys, endUser] = await Promise.all([
        readKeyLabels(prisma, { accountId }, [by, thenBy]),
        findLabelledKeys(prisma, { accountId, tag, owner, without }),
        findEndUser(prisma, { accountId, named: filter?.endUser ?? "" }),
      ]);
      const usage = await ledger.sumUsage({
        ...{ accountId, by, thenBy, thenMost, withTimes, keyLabels },
        ...(from && { from }),
        ...(to && { to }),
        ...(filter && { filter: { ...filter, endUser } }),
        ...keys,
      });
      const dimensions = [by, thenBy] as const;
      const names = await nameSums(prisma, usage.sums, dimensions);
      // Who is confined to an account is a customer, who does not see what providers charge.
      const hasCosts = actor.accountId === "";
      const csv = asCsv && usageCsv({ sums: usage.sums, by: dimensions, names, hasCosts });
      return { usage, names, ...(csv && { csv }) };
    },
    async verifyLedger() {
      return { result: await ledger.verify({}, { timeoutMs: verifyTimeoutMs }) };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}
