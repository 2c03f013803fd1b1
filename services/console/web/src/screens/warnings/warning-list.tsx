import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Warning } from "@tollgate/proto/tollgate/v1/warning";
import { Badge } from "../../ui/badge.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";

const shown = 100;

/** The newest warnings. */
export function WarningList({ account }: { account: string }) {
  const warnings = useQuery(OperatorService.method.listWarnings, { account, limit: shown });
  return (
    <Section title="Warnings" note={`the newest ${shown}`}>
      <Loaded query={warnings} rows={3}>
        {({ warnings }) =>
          warnings.length === 0 ? (
            <Empty icon="bell" title="No warnings">
              What the rules find is listed here.
            </Empty>
          ) : (
            <DataTable caption="Warnings" columns={columns} rows={warnings} idOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Section>
  );
}

const columns: readonly DataColumn<Warning>[] = [
  { header: "Warning", cell: ({ title }) => <strong>{title}</strong> },
  { header: "Details", cell: ({ text }) => text },
  { header: "Began", align: "right", cell: ({ begunAt }) => <Time at={begunAt} as="relative" /> },
  {
    header: "Ended",
    align: "right",
    cell: ({ endedAt }) =>
      endedAt ? <Time at={endedAt} as="relative" /> : <Badge tone="warn">open</Badge>,
  },
];
