import type { Catalog } from "@tollgate/catalog/model";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { loadListPrices } from "@tollgate/list-prices/list-prices";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { DisabledSlot } from "@tollgate/proto/tollgate/v1/slot";
import type { Implementation } from "@tollgate/rpc/implementation";
import { requireAccount } from "../accounts.ts";
import { recordChange } from "../audit.ts";
import { describeModels, pricesAtPlan } from "./described-models.ts";
import type { OperatorParts } from "./parts.ts";

const maxReasonLength = 500;

/** The operator's calls about the models of the catalog and their slots. */
export function implementModels({ prisma, slots, catalog, actor, now }: OperatorParts) {
  async function stateOf(slotId: string) {
    const { slots: states } = await slots.readSlots({});
    return states.find((state) => state.slotId === slotId) ?? { slotId };
  }

  return {
    async listModels() {
      const [{ slots: states }, prices] = await Promise.all([
        slots.readSlots({}),
        loadListPrices(now()),
      ]);
      const plans = [...catalog().plans.keys()];
      return { models: describeModels(catalog(), states, prices), plans };
    },
    async listPrices({ account }) {
      const { plan } = await requireAccount(prisma, account);
      return pricesAtPlan(catalog(), plan);
    },
    async updateSlot({ slot: slotId, isDisabled, reason }) {
      if (reason.length > maxReasonLength) {
        throw invalidParam("reason", `must have at most ${maxReasonLength} characters`);
      }
      // A slot that the catalog has no more can still be enabled.
      if (isDisabled) requireSlot(catalog(), slotId);
      const disabledReason = isDisabled ? { disabledReason: reason } : {};
      const { before, after } = await slots.setSlot({ slotId, ...disabledReason });
      await recordChange(prisma, actor, {
        ...{ action: "UpdateSlot", subjectKind: "slot", subjectId: slotId },
        before: auditOf(before),
        after: auditOf(after),
      });
      return { state: await stateOf(slotId) };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

function requireSlot({ models }: Catalog, slotId: string): void {
  const ids = [...models.values()].flatMap(({ chain }) => chain.map(({ id }) => id));
  if (ids.includes(slotId)) return;
  const message = `The catalog has no slot ${slotId}. A slot is named provider/model, as in its chain.`;
  throw new GatewayError("not_found", message, { param: "slot" });
}

function auditOf(disabled: DisabledSlot | undefined) {
  return disabled === undefined
    ? { is_disabled: false }
    : { is_disabled: true, reason: disabled.reason };
}
