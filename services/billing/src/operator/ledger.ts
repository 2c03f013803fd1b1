import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { accountIdOf, nameAccounts } from "../accounts.ts";
import { readMonthText, startOfMonth } from "../statements/months.ts";
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
    async readUsage({ account, from, to, by, filter }) {
      const accountId = await accountIdOf(prisma, account);
      const period = { ...(from && { from }), ...(to && { to }) };
      const filtered = filter === undefined ? {} : { filter };
      return { usage: await ledger.sumUsage({ accountId, by, ...period, ...filtered }) };
    },
    async verifyLedger() {
      return { result: await ledger.verify({}, { timeoutMs: verifyTimeoutMs }) };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}
