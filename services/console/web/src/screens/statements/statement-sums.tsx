import type { StatementSums } from "@tollgate/proto/tollgate/v1/statement";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";

interface Sum {
  name: string;
  amountNanoUsd: bigint;
}

/** The opening balance, what was added to it and taken from it, and the closing balance. */
export function StatementSumsTable({ sums }: { sums: StatementSums }) {
  const rows: readonly Sum[] = [
    { name: "Opening balance", amountNanoUsd: sums.openingNanoUsd },
    { name: "Top-ups", amountNanoUsd: sums.topUpsNanoUsd },
    { name: "Charges", amountNanoUsd: -sums.chargesNanoUsd },
    { name: "Refunds", amountNanoUsd: sums.refundsNanoUsd },
    { name: "Adjustments", amountNanoUsd: sums.adjustmentsNanoUsd },
    { name: "Closing balance", amountNanoUsd: sums.closingNanoUsd },
  ];
  return (
    <Section title="Sums">
      <DataTable caption="Sums" columns={columns} rows={rows} idOf={({ name }) => name} />
    </Section>
  );
}

const columns: readonly DataColumn<Sum>[] = [
  { header: "Sum", cell: ({ name }) => name },
  { header: "Amount in USD", money: ({ amountNanoUsd }) => amountNanoUsd },
];
