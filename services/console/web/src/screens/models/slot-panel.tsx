import type { CatalogPrice, CatalogSlot } from "@tollgate/proto/tollgate/v1/model";
import { useAccess } from "../../calls/use-session.ts";
import { formatPico } from "../../format/money.ts";
import { formatCount } from "../../format/numbers.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { DisableSlot, EnableSlot } from "./change-slot.tsx";
import { marginOf } from "./margin.ts";
import { SlotCallsText, SlotStateBadge, SlotStateNote } from "./slot-state.tsx";

/** One slot of a model: its state, its calls of the last day, and its prices. */
export function SlotPanel({ slot }: { slot: CatalogSlot }) {
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
          <Button
            look="quiet"
            onClick={change.open}
            aria-label={`${isDisabled ? "Enable" : "Disable"} ${state?.slotId}`}
          >
            {isDisabled ? "Enable" : "Disable"}
          </Button>
        )}
      </div>
      <DataTable
        caption={`Prices of ${slot.upstreamModel} at ${slot.provider}`}
        columns={columns}
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
    cell: ({ pricePicoUsd, per }) => (
      <>
        {formatPico(pricePicoUsd)} <span className="quiet">{perText(per)}</span>
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
    cell: (price) => {
      const margin = marginOf(price);
      if (margin === undefined) return <span className="quiet">–</span>;
      return margin.isLoss ? <Badge tone="bad">{margin.text}</Badge> : margin.text;
    },
  },
];

function perText(per: bigint): string {
  if (per === 1_000_000n) return "/ 1M";
  return per === 1n ? "each" : `/ ${formatCount(per)}`;
}
