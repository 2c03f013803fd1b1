import { exactAmount, exactCost, type PicoAmount } from "@tollgate/core/exact-cost";
import type { RequestRecord } from "@tollgate/proto/tollgate/v1/ledger";

import type { UsageLine } from "@tollgate/proto/tollgate/v1/usage";
import { formatPico } from "../../format/money.ts";
import { formatCount, perText } from "../../format/numbers.ts";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Money } from "../../ui/money.tsx";
import { TrailStep } from "./trail-step.tsx";

/** Quantity by price for each dimension, the rounding, and their sum: the cost. */
export function PriceStep({ request }: { request: RequestRecord }) {
  const { lines, costNanoUsd } = request;
  if (lines.length === 0) {
    return (
      <TrailStep title="Price" note="nothing to charge" result={<Money nano={costNanoUsd} />} />
    );
  }
  const { sum, difference, isRounding } = exactCost(lines, costNanoUsd);
  return (
    <TrailStep
      title="Price"
      note={`by the catalog in use at the time${request.plan && `, at the plan ${request.plan}`}`}
      result={<Money nano={costNanoUsd} />}
    >
      <DataTable
        caption="Price lines"
        columns={columns}
        rows={lines}
        idOf={({ dimension, pricePicoUsd }) => `${dimension} ${pricePicoUsd}`}
      />
      <dl className="sum-lines">
        <div>
          <dt>Exact sum</dt>
          <dd>{exactText(sum)}</dd>
        </div>
        <div>
          <dt>
            {isRounding ? "Rounded up to a whole $0.000001" : "Less: the response named this cost"}
          </dt>
          <dd>
            {difference.pico >= 0n ? "+" : ""}
            {exactText(difference)}
          </dd>
        </div>
        <div className="total">
          <dt>Cost</dt>
          <dd>
            <Money nano={costNanoUsd} />
          </dd>
        </div>
      </dl>
    </TrailStep>
  );
}

const columns: readonly DataColumn<UsageLine>[] = [
  { header: "Dimension", cell: ({ dimension }) => dimension.replaceAll("_", " ") },
  { header: "Quantity", align: "right", cell: ({ quantity }) => formatCount(quantity) },
  {
    header: "Price",
    align: "right",
    cell: ({ dimension, pricePicoUsd, per }) => (
      <>
        {formatPico(pricePicoUsd)} <span className="quiet">{perText(per, dimension)}</span>
      </>
    ),
  },
  { header: "Quantity × price", align: "right", cell: (line) => exactText(exactAmount(line)) },
];

/** An amount that has no end in decimals is cut at the pico-dollar. */
function exactText({ pico, isExact }: PicoAmount): string {
  return isExact ? formatPico(pico) : `${formatPico(pico)}…`;
}
