import { Link } from "@tanstack/react-router";
import type { ProviderSum } from "@tollgate/proto/tollgate/v1/ledger";

import { formatCount, formatMs, formatShare } from "../../format/numbers.ts";
import type { PeriodSearch } from "../../search/period.ts";
import { Badge } from "../../ui/badge.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Empty } from "../../ui/states.tsx";

/** Above these shares of failed attempts, in thousandths, a provider needs a look. */
const warnThousandths = 20n;
const badThousandths = 50n;

/** How each provider served the attempts of the period. */
export function Providers(props: { providers: readonly ProviderSum[]; search: PeriodSearch }) {
  return (
    <Section title="Providers" note="by attempts">
      {props.providers.length === 0 ? (
        <Empty icon="models" title="No provider was called" />
      ) : (
        <DataTable
          caption="Providers"
          rows={props.providers}
          idOf={({ provider }) => provider}
          columns={[
            {
              header: "Provider",
              cell: ({ provider }) => (
                <Link to="/requests" search={{ ...props.search, provider }} className="row-link">
                  {provider}
                </Link>
              ),
            },
            {
              header: "Attempts",
              align: "right",
              cell: ({ served, failed }) => formatCount(served + failed),
            },
            { header: "Failed", align: "right", cell: (sum) => <FailedShare {...sum} /> },
            {
              header: "p50",
              align: "right",
              cell: ({ durationP50Ms }) => (durationP50Ms ? formatMs(durationP50Ms) : "–"),
            },
            {
              header: "p99",
              align: "right",
              cell: ({ durationP99Ms }) => (durationP99Ms ? formatMs(durationP99Ms) : "–"),
            },
          ]}
        />
      )}
    </Section>
  );
}

function FailedShare({ served, failed }: { served: bigint; failed: bigint }) {
  const total = served + failed;
  const text = formatShare(failed, total);
  const thousandths = total === 0n ? 0n : (failed * 1_000n) / total;
  if (thousandths < warnThousandths) return text;
  return <Badge tone={thousandths < badThousandths ? "warn" : "bad"}>{text}</Badge>;
}
