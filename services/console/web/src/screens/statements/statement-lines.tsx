import type { StatementCharge, StatementLine } from "@tollgate/proto/tollgate/v1/statement";
import { formatCount } from "../../format/numbers.ts";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Time } from "../../ui/time.tsx";

/** What was charged, by model and key. Nothing where nothing was charged. */
export function StatementCharges({ charges }: { charges: readonly StatementCharge[] }) {
  if (charges.length === 0) return null;
  return (
    <Section title="Charges" note="by model and key">
      <DataTable
        caption="Charges"
        columns={chargeColumns}
        rows={charges}
        idOf={({ alias, keyId }) => `${alias} ${keyId}`}
      />
    </Section>
  );
}

/** The entries of one kind. Nothing where there are none. */
export function StatementLines(props: { title: string; lines: readonly StatementLine[] }) {
  const { title, lines } = props;
  if (lines.length === 0) return null;
  return (
    <Section title={title}>
      <DataTable
        caption={title}
        columns={lineColumns}
        rows={lines}
        idOf={(line) => String(lines.indexOf(line))}
      />
    </Section>
  );
}

const chargeColumns: readonly DataColumn<StatementCharge>[] = [
  { header: "Model", cell: ({ alias }) => alias },
  { header: "Key", cell: ({ keyName, keyId }) => <span className="cut">{keyName || keyId}</span> },
  { header: "Requests", align: "right", cell: ({ requests }) => formatCount(requests) },
  { header: "Charged", money: ({ chargedNanoUsd }) => chargedNanoUsd },
];

const lineColumns: readonly DataColumn<StatementLine>[] = [
  { header: "Time", cell: ({ at }) => <Time at={at} none="" /> },
  { header: "Reference", cell: ({ reference }) => <span className="cut">{reference}</span> },
  {
    header: "Reason",
    isSecondary: true,
    cell: ({ reason, entries }) => (entries > 1n ? `${formatCount(entries)} more` : reason),
  },
  { header: "Amount", money: ({ amountNanoUsd }) => amountNanoUsd, signed: true },
];
