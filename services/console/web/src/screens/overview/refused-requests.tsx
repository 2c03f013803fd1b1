import { Link } from "@tanstack/react-router";
import type { RefusalSum } from "@tollgate/proto/tollgate/v1/operator";
import { countOf, formatCount } from "../../format/numbers.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Share } from "../../ui/share.tsx";
import { Empty } from "../../ui/states.tsx";

/** The requests that were refused before a provider was called, by error code. They cost nothing. */
export function RefusedRequests({ refusals }: { refusals: readonly RefusalSum[] }) {
  const total = refusals.reduce((sum, { requests }) => sum + requests, 0n);
  return (
    <Section title="Refused requests" note={`${countOf(total, "request")}, before any provider`}>
      {refusals.length === 0 ? (
        <Empty icon="check" title="No request was refused" />
      ) : (
        <DataTable
          caption="Refused requests"
          rows={refusals}
          idOf={({ errorCode }) => errorCode}
          columns={[
            {
              header: "Error code",
              cell: ({ errorCode }) => (
                <Link to="/refusals" search={{ error: errorCode }} className="row-link mono">
                  {errorCode}
                </Link>
              ),
            },
            {
              header: "Requests",
              align: "right",
              cell: ({ requests }) => formatCount(requests),
            },
            {
              header: "Part",
              isSecondary: true,
              cell: ({ requests }) => <Share part={requests} total={total} tone="warn" />,
            },
          ]}
        />
      )}
    </Section>
  );
}
