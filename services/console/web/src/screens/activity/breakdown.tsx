import { Link } from "@tanstack/react-router";
import type { SumUsageResponse, UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import { useAccountNames } from "../../calls/use-account-names.ts";
import { saveFile } from "../../format/csv.ts";
import { formatCount, formatShare } from "../../format/numbers.ts";
import { formatDay } from "../../format/time.ts";
import type { ActivitySearch } from "../../search/activity-search.ts";
import type { Range } from "../../search/period.ts";
import { type FilterName, filterNames } from "../../search/usage-filter.ts";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { MarginText } from "../../ui/margin-text.tsx";
import { Share } from "../../ui/share.tsx";
import { usageCsv } from "./usage-csv.ts";

interface Props {
  usage: SumUsageResponse;
  by: FilterName;
  search: ActivitySearch;
  range: Range;
}

interface ColumnOptions extends Pick<Props, "by" | "search"> {
  total: bigint;
  nameOfRow(sum: UsageSum): string;
  /** Whether what providers charge is known of a row. */
  hasCosts: boolean;
}

const mostRows = 200;

/** The usage of a period by its models, keys, accounts, providers or routes. */
export function Breakdown({ usage, by, search, range }: Props) {
  const { nameOf } = useAccountNames(usage.sums.map(({ accountId }) => accountId));
  const total = usage.sums.reduce((sum, { chargedNanoUsd }) => sum + chargedNanoUsd, 0n);
  const nameOfRow = ({ name }: UsageSum) => (by === "account" ? nameOf(name) : name);
  const save = () => {
    const file = `usage-by-${by}-${formatDay(range.from)}-${formatDay(range.to)}.csv`;
    saveFile(file, "text/csv", usageCsv(by, usage.sums, nameOfRow));
  };
  const hasCosts = usage.sums.some(({ providerCostNanoUsd }) => providerCostNanoUsd > 0n);
  const columns = columnsOf({ by, search, total, nameOfRow, hasCosts });
  const rows = usage.sums.slice(0, mostRows);
  return (
    <>
      <DataTable
        caption={`Usage by ${by}`}
        columns={columns}
        rows={rows}
        idOf={({ name, accountId }) => `${accountId} ${name}`}
      />
      <div className="filters">
        <Button icon="download" onClick={save}>
          Save as CSV
        </Button>
        {(usage.hasMore || usage.sums.length > mostRows) && (
          <span className="quiet">
            The first {formatCount(rows.length)} are shown
            {usage.hasMore ? ", and there are more than the file has." : ". The file has all."}
          </span>
        )}
      </div>
    </>
  );
}

function columnsOf(options: ColumnOptions): DataColumn<UsageSum>[] {
  const { by, search, total, nameOfRow, hasCosts } = options;
  return [
    {
      header: filterNames[by],
      cell: (sum) => (
        <Link
          to="/requests"
          search={requestsOf(search, by, sum.name)}
          className="row-link cut"
          title={sum.name}
        >
          {nameOfRow(sum) || "none"}
        </Link>
      ),
    },
    { header: "Requests", align: "right", cell: ({ requests }) => formatCount(requests) },
    {
      header: "Failed",
      align: "right",
      isSecondary: true,
      cell: ({ failedRequests, requests }) => formatShare(failedRequests, requests),
    },
    {
      header: "Tokens",
      align: "right",
      cell: ({ promptTokens, completionTokens }) => formatCount(promptTokens + completionTokens),
    },
    {
      header: "Charged",
      money: ({ chargedNanoUsd }) => chargedNanoUsd,
    },
    ...(hasCosts ? costColumns : []),
    {
      header: "Share",
      align: "right",
      isSecondary: true,
      cell: ({ chargedNanoUsd }) => formatShare(chargedNanoUsd, total),
    },
    {
      header: "Part",
      isSecondary: true,
      cell: ({ chargedNanoUsd }) => <Share part={chargedNanoUsd} total={total} />,
    },
  ];
}

const costColumns: readonly DataColumn<UsageSum>[] = [
  {
    header: "Cost",
    isSecondary: true,
    money: ({ providerCostNanoUsd }) => providerCostNanoUsd,
  },
  {
    header: "Margin",
    align: "right",
    cell: ({ costedChargeNanoUsd, providerCostNanoUsd }) => (
      <MarginText charged={costedChargeNanoUsd} cost={providerCostNanoUsd} />
    ),
  },
];

/** The requests of one row, with the filters of the screen. */
function requestsOf(search: ActivitySearch, by: FilterName, name: string) {
  const { by: _by, step: _step, metric: _metric, ...filters } = search;
  return { ...filters, period: filters.period ?? ("30d" as const), [by]: name };
}
