import type { CatalogPrice, CatalogSlot } from "@tollgate/proto/tollgate/v1/console";
import { formatPico } from "../../format/money.ts";
import { formatCount } from "../../format/numbers.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { marginOf } from "./margin.ts";

const breakers: Readonly<Record<string, readonly [string, Tone]>> = {
  closed: ["in use", "good"],
  "half-open": ["on trial", "warn"],
  open: ["taken out", "bad"],
};

/** One slot of a model: the state of its breaker, and its prices. */
export function Slot({ slot }: { slot: CatalogSlot }) {
  const [state, tone] = breakers[slot.breaker] ?? [slot.breaker, "neutral"];
  return (
    <li className="slot">
      <div className="slot-name">
        <strong>{slot.provider}</strong>
        <code className="quiet id">{slot.upstreamModel}</code>
        {state !== "" && (
          <span>
            <Badge tone={tone}>{state}</Badge>
          </span>
        )}
      </div>
      <DataTable
        caption={`Prices of ${slot.upstreamModel} at ${slot.provider}`}
        columns={columns}
        rows={slot.prices}
        idOf={({ dimension, aboveInputTokens }) => `${dimension} ${aboveInputTokens}`}
      />
    </li>
  );
}

const columns: readonly Column<CatalogPrice>[] = [
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
