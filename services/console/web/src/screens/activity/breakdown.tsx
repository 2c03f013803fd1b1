import { Link } from "@tanstack/react-router";
import type { SumUsageResponse, UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import { useUsageCsv } from "../../calls/use-usage.ts";
import { formatCount, formatCountShort, formatMs, formatShare } from "../../format/numbers.ts";
import { formatDay } from "../../format/time.ts";
import type { ActivitySearch } from "../../search/activity-search.ts";
import { dimensionSums } from "../../search/dimensions.ts";
import type { Range } from "../../search/period.ts";
import { type FilterName, filterNames } from "../../search/usage-filter.ts";
import { byMost, type WholeListRules } from "../../search/whole-list.ts";
import { CsvButton } from "../../ui/csv-button.tsx";
import type { DataColumn } from "../../ui/data-table.tsx";
import { MarginText } from "../../ui/margin-text.tsx";
import { WholeList } from "../../ui/whole-list.tsx";
import { ChangeText } from "./change-text.tsx";
import { requestsOf } from "./requests-of.ts";

interface Props {
  usage: SumUsageResponse;
  /** Of keys and accounts, by their ids. */
  names: Readonly<Record<string, string>>;
  by: FilterName;
  /** What each member is divided by. */
  second?: FilterName | undefined;
  search: ActivitySearch;
  range: Range;
  /** The sums of the period before; undefined while they are not known. */
  before: readonly UsageSum[] | undefined;
}

/** The usage of a period by its members, such as models, and by a second dimension. */
export function Breakdown({ usage, by, second, range, ...props }: Props) {
  const nameOf = (name: string) => props.names[name] ?? name;
  const dimensions = [by, ...(second === undefined ? [] : [second])];
  const file = `usage-by-${dimensions.join("-")}-${formatDay(range.from)}-${formatDay(range.to)}.csv`;
  const division = second === undefined ? {} : { thenBy: dimensionSums[second] };
  const read = useUsageCsv(range, dimensionSums[by], props.search, division);
  const names = dimensions.map((dimension) => filterNames[dimension].toLowerCase());
  return (
    <WholeList
      caption={`Usage by ${by}`}
      columns={columnsOf({ usage, by, second, range, ...props }, nameOf)}
      rows={usage.sums}
      search={props.search}
      searchLabel={`Search by ${names.join(" or ")}`}
      icon="activity"
      idOf={keyOf}
      textsOf={({ name, thenName }) =>
        [name, thenName].flatMap((one) => [one, nameOf(one) || "none"])
      }
      orders={orders}
    >
      <CsvButton file={file} read={read} />
      {usage.hasMore && (
        <span className="quiet">
          These are the {formatCount(usage.sums.length)} that were charged most.
        </span>
      )}
    </WholeList>
  );
}

const orders: WholeListRules<UsageSum>["orders"] = {
  // The server returns them in this order.
  charged: { name: "Charged most first", compare: () => 0 },
  requests: { name: "Most requests first", compare: byMost(({ requests }) => requests) },
  failed: { name: "Most failures first", compare: byMost(({ failedRequests }) => failedRequests) },
  tokens: {
    name: "Most tokens first",
    compare: byMost(({ promptTokens, completionTokens }) => promptTokens + completionTokens),
  },
  slow: { name: "Slowest first", compare: byMost(({ durationP50Ms }) => durationP50Ms) },
};

function columnsOf(props: Props, nameOf: (name: string) => string): DataColumn<UsageSum>[] {
  const { usage, by, second, search, before } = props;
  const charged = new Map(before?.map((sum) => [keyOf(sum), sum.chargedNanoUsd]));
  const hasCosts = usage.sums.some(({ providerCostNanoUsd }) => providerCostNanoUsd > 0n);
  const membersOf = ({ name, thenName }: UsageSum) => ({
    [by]: name,
    ...(second !== undefined && { [second]: thenName }),
  });
  return [
    {
      header: filterNames[by],
      cell: (sum) => {
        const found = requestsOf(search, membersOf(sum));
        const text = nameOf(sum.name) || "none";
        if (found === undefined) return text;
        return (
          <Link to="/requests" search={found} className="row-link cut" title={sum.name}>
            {text}
          </Link>
        );
      },
    },
    ...(second === undefined ? [] : [secondColumn(second, nameOf)]),
    ...countColumns,
    { header: "Charged", money: ({ chargedNanoUsd }) => chargedNanoUsd },
    {
      header: "Change",
      align: "right",
      isSecondary: true,
      cell: (sum) =>
        before && <ChangeText now={sum.chargedNanoUsd} before={charged.get(keyOf(sum)) ?? 0n} />,
    },
    ...(hasCosts ? costColumns : []),
  ];
}

function secondColumn(second: FilterName, nameOf: (name: string) => string): DataColumn<UsageSum> {
  return {
    header: filterNames[second],
    cell: ({ thenName }) => (
      <span className="cut" title={thenName}>
        {nameOf(thenName) || "none"}
      </span>
    ),
  };
}

const countColumns: readonly DataColumn<UsageSum>[] = [
  {
    header: "Requests",
    align: "right",
    cell: ({ requests, failedRequests }) => (
      <span className="stack">
        {formatCount(requests)}
        {failedRequests > 0n && (
          <span className="quiet">{formatShare(failedRequests, requests)} failed</span>
        )}
      </span>
    ),
  },
  {
    header: "Tokens in / out",
    align: "right",
    cell: ({ promptTokens, cachedPromptTokens, completionTokens }) => (
      <span className="stack">
        <span title={`${formatCount(promptTokens)} / ${formatCount(completionTokens)}`}>
          {formatCountShort(promptTokens)} / {formatCountShort(completionTokens)}
        </span>
        {cachedPromptTokens > 0n && (
          <span className="quiet">{formatShare(cachedPromptTokens, promptTokens)} cached</span>
        )}
      </span>
    ),
  },
  {
    header: "p50 / p99",
    align: "right",
    isSecondary: true,
    cell: ({ durationP50Ms, durationP99Ms, firstTokenP50Ms }) =>
      durationP50Ms === undefined || durationP99Ms === undefined ? (
        <span className="quiet">–</span>
      ) : (
        <span className="stack">
          <span>
            {formatMs(durationP50Ms)} / {formatMs(durationP99Ms)}
          </span>
          {firstTokenP50Ms !== undefined && (
            <span className="quiet">first token {formatMs(firstTokenP50Ms)}</span>
          )}
        </span>
      ),
  },
];

const costColumns: readonly DataColumn<UsageSum>[] = [
  {
    header: "Provider cost",
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

function keyOf({ accountId, name, thenName }: UsageSum): string {
  return `${accountId} ${name} ${thenName}`;
}
