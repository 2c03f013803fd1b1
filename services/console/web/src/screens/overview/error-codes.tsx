import { Link } from "@tanstack/react-router";
import type { ReadOverviewResponse } from "@tollgate/proto/tollgate/v1/operator";
import { formatCount, formatShare } from "../../format/numbers.ts";
import type { PeriodSearch } from "../../search/period.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Share } from "../../ui/share.tsx";
import { Empty } from "../../ui/states.tsx";

/** The error codes with which requests ended. */
export function ErrorCodes({ data, search }: { data: ReadOverviewResponse; search: PeriodSearch }) {
  const { errors, failedRequests } = data;
  return (
    <Section title="Failed requests" note={`${formatCount(failedRequests)} by error code`}>
      {errors.length === 0 ? (
        <Empty icon="check" title="No request failed" />
      ) : (
        <DataTable
          caption="Error codes"
          rows={errors}
          idOf={({ errorCode }) => errorCode}
          columns={[
            {
              header: "Error code",
              cell: ({ errorCode }) => (
                <Link
                  to="/requests"
                  search={{ ...search, error: errorCode }}
                  className="row-link mono"
                >
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
              header: "Share",
              align: "right",
              cell: ({ requests }) => formatShare(requests, failedRequests),
            },
            {
              header: "Part",
              isSecondary: true,
              cell: ({ requests }) => <Share part={requests} total={failedRequests} tone="bad" />,
            },
          ]}
        />
      )}
    </Section>
  );
}
