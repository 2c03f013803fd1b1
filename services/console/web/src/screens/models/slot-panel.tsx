import type { CatalogPrice, CatalogSlot } from "@tollgate/proto/tollgate/v1/model";
import { useAccess } from "../../calls/use-session.ts";
import { formatPico } from "../../format/money.ts";
import { formatCount, perText } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { MarginText } from "../../ui/margin-text.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { DisableSlot, EnableSlot } from "./change-slot.tsx";
import { ProviderModels } from "./provider-models.tsx";
import { SlotCallsText, SlotStateBadge, SlotStateNote } from "./slot-state.tsx";
import { TestSlot } from "./test-slot.tsx";

/** One slot of a model: its state, its calls of the last day, and its prices. */
export function SlotPanel({ alias, slot }: { alias: string; slot: CatalogSlot }) {
  const { canChange } = useAccess();
  const change = useOpen();
  const { state } = slot;
  const isDisabled = state?.disabled !== undefined;
  const Change = isDisabled ? EnableSlot : DisableSlot;
  return (
    <li className="slot">
      <div className="slot-name">
        <span className="slot-head">
          <strong>{slot.provider}</strong>
          <SlotStateBadge state={state} />
        </span>
        <code className="quiet id">{slot.upstreamModel}</code>
        <SlotStateNote state={state} />
        <SlotCallsText calls={state?.calls} />
        {canChange && (
          <div className="slot-actions">
            <TestSlot alias={alias} slotId={state?.slotId ?? ""} />
            <ProviderModels provider={slot.provider} />
            <Button
              look="quiet"
              onClick={change.open}
              aria-label={`${isDisabled ? "Enable" : "Disable"} ${state?.slotId}`}
            >
              {isDisabled ? "Enable" : "Disable"}
            </Button>
          </div>
        )}
      </div>
      <DataTable
        caption={`Prices of ${slot.upstreamModel} at ${slot.provider}`}
        columns={columnsOf(slot)}
        rows={slot.prices}
        idOf={({ dimension, aboveInputTokens }) => `${dimension} ${aboveInputTokens}`}
      />
      <Change
        key={change.key}
        slotId={state?.slotId ?? ""}
        isOpen={change.isOpen}
        onClose={change.close}
      />
    </li>
  );
}

const columns: readonly DataColumn<CatalogPrice>[] = [
  {
    header: "Dimension",
    cell: ({ dimension, aboveInputTokens }) => (
      <>
        {dimension.replaceAll("_", " ")}
        {aboveInputTokens > 0n && (
          <span className="quiet"> above {formatCount(aboveInputTokens)} tokens</span>
        )}
      </>
    ),
  },
  {
    header: "Price",
    align: "right",
    cell: ({ dimension, pricePicoUsd, per }) => (
      <>
        {formatPico(pricePicoUsd)} <span className="quiet">{perText(per, dimension)}</span>
      </>
    ),
  },
  {
    header: "List price",
    align: "right",
    cell: ({ listPricePicoUsd }) =>
      listPricePicoUsd === undefined ? (
        <span className="quiet">not known</span>
      ) : (
        formatPico(listPricePicoUsd)
      ),
  },
  {
    header: "Margin",
    align: "right",
    cell: ({ pricePicoUsd, listPricePicoUsd, providerPricePicoUsd = listPricePicoUsd }) =>
      providerPricePicoUsd === undefined ? (
        <span className="quiet">–</span>
      ) : (
        <MarginText charged={pricePicoUsd} cost={providerPricePicoUsd} />
      ),
  },
];

const costColumn: DataColumn<CatalogPrice> = {
  header: "Cost",
  align: "right",
  cell: ({ providerPricePicoUsd }) =>
    providerPricePicoUsd === undefined ? (
      <span className="quiet">–</span>
    ) : (
      formatPico(providerPricePicoUsd)
    ),
};

/** The cost of a slot, where the catalog has it, stands between the price and the list price. */
function columnsOf({ prices }: CatalogSlot): readonly DataColumn<CatalogPrice>[] {
  const hasCost = prices.some(({ providerPricePicoUsd }) => providerPricePicoUsd !== undefined);
  return hasCost ? columns.toSpliced(2, 0, costColumn) : columns;
}
