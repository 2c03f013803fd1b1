import { invalidParam } from "@tollgate/core/errors";
import type {
  OperatorService,
  RecordInvoiceCheckRequest,
} from "@tollgate/proto/tollgate/v1/operator";
import { WarningKind } from "@tollgate/proto/tollgate/v1/warning";
import type { Implementation } from "@tollgate/rpc/implementation";
import { recordChange } from "../audit.ts";
import type { InvoiceCheck } from "../generated/client.ts";
import { monthText, readMonthText } from "../statements/months.ts";
import { addWarningRule } from "../warnings/add-rule.ts";
import type { OperatorParts } from "./parts.ts";

const maxAmount = 2n ** 63n - 1n;
/** Rules whose conditions have changed are due at once. */
const never = new Date(0);

/** The operator's call about what a comparison of a provider's invoice has found. */
export function implementInvoiceChecks({ prisma, warnings, actor, now }: OperatorParts) {
  return {
    async recordInvoiceCheck(request) {
      requireValid(request);
      const { provider, paidNanoUsd, chargedNanoUsd } = request;
      const which = { provider, month: readMonthText(request.month) };
      const found = { paidNanoUsd, chargedNanoUsd, checkedAt: now() };
      await prisma.$transaction(async (transaction) => {
        const where = { provider_month: which };
        const before = await transaction.invoiceCheck.findUnique({ where });
        // Somebody may remove the rule later.
        if ((await transaction.invoiceCheck.count()) === 0) {
          await addWarningRule(transaction, "", WarningKind.INVOICE);
        }
        const create = { ...which, ...found };
        const after = await transaction.invoiceCheck.upsert({ where, create, update: found });
        const settings = { where: { accountId: "" }, data: { checkedAt: never } };
        await transaction.warningSettings.updateMany(settings);
        await recordChange(transaction, actor, {
          action: "RecordInvoiceCheck",
          ...{ subjectKind: "provider", subjectId: provider },
          before: before === null ? {} : snapshot(before),
          after: snapshot(after),
        });
      });
      warnings.wake();
      return {};
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

/** Throws `invalid_param` for what no comparison finds. */
function requireValid({ provider, paidNanoUsd, chargedNanoUsd }: RecordInvoiceCheckRequest): void {
  if (!/^[\w-]{1,64}$/.test(provider)) throw invalidParam("provider", "must be a provider's name");
  if (paidNanoUsd > maxAmount) throw invalidParam("paid_nano_usd", "must be at most 2^63 - 1");
  if (chargedNanoUsd < paidNanoUsd || (paidNanoUsd === 0n && chargedNanoUsd === 0n)) return;
  throw invalidParam("charged_nano_usd", "must be less than what was paid, or both must be 0");
}

function snapshot({ month, paidNanoUsd, chargedNanoUsd }: InvoiceCheck) {
  return {
    month: monthText(month),
    paid_nano_usd: String(paidNanoUsd),
    charged_nano_usd: String(chargedNanoUsd),
  };
}
