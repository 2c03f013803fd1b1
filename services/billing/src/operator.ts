import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { GatewayError } from "@tollgate/core/errors";
import { maxBalanceNanoUsd } from "@tollgate/core/money";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Client, Implementation } from "@tollgate/rpc/implementation";
import type { Notices } from "@tollgate/runtime/broker/notices";
import { createAccount, requireAccount, updateAccount } from "./accounts.ts";
import type { PrismaClient } from "./generated/client.ts";
import { createKey, revokeKey } from "./keys.ts";

const openingReference = "opening-credit";
const maxReferenceLength = 200;
/** A verification reads every entry. */
const verifyTimeoutMs = 60 * 60 * 1_000;

export interface OperatorParts {
  prisma: PrismaClient;
  ledger: Client<typeof LedgerService>;
  notices: Notices;
  now(): Date;
}

/** Returns the implementation of the operator's commands. */
export function implementOperator(parts: OperatorParts): Implementation<typeof OperatorService> {
  const { prisma, ledger, notices, now } = parts;

  /** Whether an account's row was written without its wallet, so that it can be created again. */
  async function isIncomplete(accountId: string): Promise<boolean> {
    return (await ledger.getWallet({ accountId })).wallet === undefined;
  }

  return {
    async createAccount({ name, creditNanoUsd, admission }) {
      if (creditNanoUsd > maxBalanceNanoUsd || creditNanoUsd % 1_000n !== 0n) {
        const message = "A credit has at most six decimals, and fits a wallet.";
        throw new GatewayError("invalid_param", message, { param: "credit" });
      }
      const account = await createAccount(prisma, { name, admission }, isIncomplete);
      const accountId = account.id;
      const opening = { accountId, amountNanoUsd: creditNanoUsd, reference: openingReference };
      const { wallet } = await ledger.topUp(opening);
      return wallet === undefined ? { account } : { account, wallet };
    },
    async updateAccount({ account, admission = "" }) {
      const found = await requireAccount(prisma, account);
      return { account: await updateAccount(prisma, found, admission) };
    },
    async createKey({ account, channel }) {
      const { id } = await requireAccount(prisma, account);
      return createKey(prisma, id, channel);
    },
    async revokeKey({ keyId }) {
      const { revokedAt, keyHash } = await revokeKey(prisma, keyId, now());
      notices.publish("key.changed", Buffer.from(keyHash).toString("hex"));
      return { revokedAt: timestampFromDate(revokedAt) };
    },
    async topUpWallet({ account, amountNanoUsd, reference }) {
      const { id } = await requireAccount(prisma, account);
      requireReference(reference);
      if (amountNanoUsd === 0n) {
        throw new GatewayError("invalid_param", "An amount must be more than 0.", {
          param: "amount",
        });
      }
      const { wallet, credited } = await ledger.topUp({ accountId: id, amountNanoUsd, reference });
      return wallet === undefined ? { credited } : { wallet, credited };
    },
    async listLedger({ account, limit, beforeEntryId }) {
      const accountId = account === "" ? "" : (await requireAccount(prisma, account)).id;
      const { entries } = await ledger.listEntries({ accountId, limit, beforeEntryId });
      return { entries };
    },
    async readUsage({ account, from, to, by }) {
      const accountId = account === "" ? "" : (await requireAccount(prisma, account)).id;
      const period = { ...(from && { from }), ...(to && { to }) };
      return { usage: await ledger.sumUsage({ accountId, by, ...period }) };
    },
    async listAccounts() {
      throw notBuilt();
    },
    async getAccount() {
      throw notBuilt();
    },
    async updateKey() {
      throw notBuilt();
    },
    async rotateKey() {
      throw notBuilt();
    },
    async listKeys() {
      throw notBuilt();
    },
    async getKey() {
      throw notBuilt();
    },
    async readWallet() {
      throw notBuilt();
    },
    async adjustWallet() {
      throw notBuilt();
    },
    async verifyLedger() {
      return { result: await ledger.verify({}, { timeoutMs: verifyTimeoutMs }) };
    },
  };
}

function notBuilt(): GatewayError {
  return new GatewayError("internal_error", "This command does not exist yet.");
}

function requireReference(reference: string): void {
  if (reference.trim() !== "" && reference.length <= maxReferenceLength) return;
  const message = `A reference has 1 to ${maxReferenceLength} characters.`;
  throw new GatewayError("invalid_param", message, { param: "reference" });
}
