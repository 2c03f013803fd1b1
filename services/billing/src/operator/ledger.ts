import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { accountIdOf } from "../accounts.ts";
import type { OperatorParts } from "./parts.ts";

/** A verification reads every entry. */
const verifyTimeoutMs = 60 * 60 * 1_000;

/** The operator's calls about entries and usage. */
export function implementLedger({ prisma, ledger }: OperatorParts) {
  return {
    async listLedger({ account, limit, beforeEntryId }) {
      const accountId = await accountIdOf(prisma, account);
      const { entries } = await ledger.listEntries({ accountId, limit, beforeEntryId });
      return { entries };
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
