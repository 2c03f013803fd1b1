import { create, type JsonObject, toJson } from "@bufbuild/protobuf";
import { invalidParam } from "@tollgate/core/errors";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import {
  type AutoTopUp as AutoTopUpMessage,
  AutoTopUpSchema,
  type UpdateAutoTopUpRequest,
} from "@tollgate/proto/tollgate/v1/payment";
import { WarningKind } from "@tollgate/proto/tollgate/v1/warning";
import type { Implementation } from "@tollgate/rpc/implementation";
import { requireAccount, requireOpenAccount } from "../accounts.ts";
import { recordChange } from "../audit.ts";
import type { Account } from "../generated/client.ts";
import { paidThisMonth } from "../payments/auto-top-up/begin-payment.ts";
import { findStopReason } from "../payments/auto-top-up/stop-reason.ts";
import {
  createCardSetup,
  createPortalSession,
  findCard,
  limitCardPages,
} from "../payments/cards.ts";
import { requireStripe, type StripeAccess, toPaymentError } from "../payments/stripe-client.ts";
import { requireTopUpAmount } from "../payments/top-up-amount.ts";
import { withLockedRow } from "../row-lock.ts";
import { addWarningRule } from "../warnings/add-rule.ts";
import type { OperatorParts } from "./parts.ts";

/** What is set anew is due at once. */
const never = new Date(0);
const maxAmount = 2n ** 63n - 1n;

/** The operator's calls about automatic top-ups and saved cards. */
export function implementAutoTopUps(parts: OperatorParts) {
  const { prisma, actor, now } = parts;

  /** Opens a page of Stripe for an account, and records who opened it. */
  async function openPage(
    action: string,
    name: string,
    open: (access: StripeAccess, account: Account) => Promise<string>,
  ): Promise<{ url: string }> {
    const access = requireStripe(parts.stripe);
    const account = await requireOpenAccount(prisma, name);
    const { id: accountId } = account;
    await limitCardPages({ prisma, now }, accountId);
    const subject = { subjectKind: "account", subjectId: accountId, accountId } as const;
    await recordChange(prisma, actor, { action, ...subject });
    return { url: await open(access, account) };
  }

  return {
    async getAutoTopUp({ account }) {
      const access = requireStripe(parts.stripe);
      const { id: accountId, startCreditNanoUsd } = await requireAccount(prisma, account);
      const stored = await prisma.autoTopUp.findUnique({ where: { accountId } });
      const card = await findCard({ prisma, access }, accountId).catch((error) => {
        throw toPaymentError(error);
      });
      const { brand = "", last4: lastFour = "", exp_month = 0, exp_year = 0 } = card?.card ?? {};
      return {
        ...(stored && { autoTopUp: create(AutoTopUpSchema, stored) }),
        ...(card && { card: { brand, lastFour, expiryMonth: exp_month, expiryYear: exp_year } }),
        stopReason: stored?.isEnabled ? await findStopReason(prisma, stored) : "",
        paidNanoUsd: await paidThisMonth(prisma, accountId, now()),
        startCreditNanoUsd,
      };
    },
    updateAutoTopUp: (request) => updateAutoTopUp(parts, request),
    createCardSetup: ({ account }) =>
      openPage("CreateCardSetup", account, (access, found) =>
        createCardSetup({ prisma, access }, found),
      ),
    createPortalSession: ({ account }) =>
      openPage("CreatePortalSession", account, (access, found) =>
        createPortalSession({ prisma, access }, found),
      ),
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

async function updateAutoTopUp(
  parts: OperatorParts,
  { account: name, autoTopUp = create(AutoTopUpSchema) }: UpdateAutoTopUpRequest,
) {
  const { prisma, actor, now } = parts;
  const access = requireStripe(parts.stripe);
  const { id: accountId } = await requireOpenAccount(prisma, name);
  requireValid(autoTopUp, access);
  if (autoTopUp.isEnabled && (await findCard({ prisma, access }, accountId)) === undefined) {
    throw invalidParam("is_enabled", "needs a saved card");
  }
  const { isEnabled, thresholdNanoUsd, amountNanoUsd, monthlyCapNanoUsd } = autoTopUp;
  const amounts = { thresholdNanoUsd, amountNanoUsd, monthlyCapNanoUsd };
  await withLockedRow(prisma, "account", accountId, async (transaction) => {
    const where = { accountId };
    const before = await transaction.autoTopUp.findUnique({ where });
    const data = { isEnabled, ...amounts, setAt: now(), checkedAt: never };
    await transaction.autoTopUp.upsert({ where, create: { accountId, ...data }, update: data });
    // Somebody may remove the rule later.
    if (isEnabled) await addWarningRule(transaction, accountId, WarningKind.AUTO_TOP_UP);
    await recordChange(transaction, actor, {
      action: "UpdateAutoTopUp",
      ...{ subjectKind: "account", subjectId: accountId, accountId },
      before: before === null ? {} : snapshot(create(AutoTopUpSchema, before)),
      after: snapshot(autoTopUp),
    });
  });
  parts.autoTopUps?.wake();
  return { autoTopUp };
}

/** Throws `invalid_param` for amounts that an automatic top-up cannot have. */
function requireValid(
  { thresholdNanoUsd, amountNanoUsd, monthlyCapNanoUsd }: AutoTopUpMessage,
  { settings }: StripeAccess,
): void {
  requireTopUpAmount(amountNanoUsd, settings.topUps);
  if (thresholdNanoUsd < 1n || thresholdNanoUsd > maxAmount) {
    throw invalidParam("threshold", "must be more than 0");
  }
  if (monthlyCapNanoUsd < amountNanoUsd || monthlyCapNanoUsd > maxAmount) {
    throw invalidParam("monthly_cap", "must be at least the amount of a payment");
  }
}

function snapshot(autoTopUp: AutoTopUpMessage): JsonObject {
  const options = { useProtoFieldName: true, alwaysEmitImplicit: true };
  return toJson(AutoTopUpSchema, autoTopUp, options) as JsonObject;
}
