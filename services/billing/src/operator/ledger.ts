import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { requireAccount } from "../accounts.ts";
import type { OperatorParts } from "./parts.ts";

/** A verification reads every entry. */
const verifyTimeoutMs = 60 * 60 * 1_000;

/** The operator's calls about entries and usage. */
export function implementLedger({ prisma, ledger }: OperatorParts) {
  /** Returns an account's id. An empty name stands for all accounts, and its id is empty too. */
  async function accountIdOf(account: string): Promise<string> {
    return account === "" ? "" : (await requireAccount(prisma, account)).id;
  }

  return {
    async listLedger({ account, limit, beforeEntryId }) {
      const accountId = await accountIdOf(account);
      const { entries } = await ledger.listEntries({ accountId, limit, beforeEntryId });
      return { entries };
    },
    async readUsage({ account, from, to, by }) {
      const accountId = await accountIdOf(account);
      const period = { ...(from && { from }), ...(to && { to }) };
      return { usage: await ledger.sumUsage({ accountId, by, ...period }) };
    },
    async verifyLedger() {
      return { result: await ledger.verify({}, { timeoutMs: verifyTimeoutMs }) };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}
