import { Link } from "@tanstack/react-router";
import type { FallbackSum } from "@tollgate/proto/tollgate/v1/ledger";
import { formatCount } from "../../format/numbers.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";

/** The models whose usage no provider reported, and what was billed instead. Nothing where all do. */
export function UnreportedUsage({ fallbacks }: { fallbacks: readonly FallbackSum[] }) {
  if (fallbacks.length === 0) return null;
  return (
    <Section title="Usage that no provider reports" note="billed as the gateway counts it">
      <DataTable
        caption="Models whose usage no provider reports"
        rows={fallbacks}
        idOf={({ alias, basis }) => `${alias} ${basis}`}
        columns={[
          {
            header: "Model",
            cell: ({ alias }) => (
              <Link to="/models" search={{ find: alias }} className="row-link">
                {alias}
              </Link>
            ),
          },
          {
            header: "Billed by",
            cell: ({ basis }) => <span className="mono">{basis}</span>,
          },
          {
            header: "Requests",
            align: "right",
            cell: ({ requests }) => formatCount(requests),
          },
        ]}
      />
    </Section>
  );
}
