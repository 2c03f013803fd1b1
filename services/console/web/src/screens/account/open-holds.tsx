import { useQuery } from "@connectrpc/connect-query";
import type { HoldSummary } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { type ListSearch, pageSizeOf } from "../../search/list-search.ts";
import { Badge } from "../../ui/badge.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { KeyLink } from "../../ui/named.tsx";
import { Pager } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";

interface Props {
  accountId: string;
  search: ListSearch<string>;
}

/** The open holds of an account, the newest first. They are read again every few seconds. */
export function OpenHolds({ accountId, search }: Props) {
  const limit = pageSizeOf(search);
  const holds = useQuery(
    OperatorService.method.listHolds,
    { account: accountId, limit, beforeHoldId: search.before ?? "" },
    { refetchInterval: 5_000 },
  );
  return (
    <Loaded query={holds}>
      {({ holds, hasMore, names }) =>
        holds.length === 0 ? (
          <Empty icon="check" title="Nothing is held">
            A request holds what it can cost until its charge is captured, and a job until it is
            read.
          </Empty>
        ) : (
          <>
            <DataTable
              caption="Open holds"
              columns={columnsWith(names)}
              rows={holds}
              idOf={({ id }) => id}
            />
            <Pager
              before={search.before}
              next={hasMore ? holds.at(-1)?.id : undefined}
              size={limit}
            />
          </>
        )
      }
    </Loaded>
  );
}

function columnsWith(names: Readonly<Record<string, string>>): DataColumn<HoldSummary>[] {
  return [
    { header: "Hold", cell: ({ id }) => <code className="id">{id}</code> },
    {
      header: "Key",
      cell: ({ isShared, keyId }) =>
        isShared || keyId === "" ? <Badge>shared</Badge> : <KeyLink id={keyId} names={names} />,
    },
    ...otherColumns,
  ];
}

const otherColumns: readonly DataColumn<HoldSummary>[] = [
  {
    header: "Job",
    cell: ({ alias, jobId }) =>
      jobId === "" ? null : (
        <>
          {alias} <code className="id">{jobId}</code>
        </>
      ),
  },
  { header: "Taken", cell: ({ createdAt }) => <Time at={createdAt} as="relative" /> },
  { header: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} as="relative" /> },
  {
    header: "Amount",
    money: ({ amountNanoUsd }) => amountNanoUsd,
  },
];
