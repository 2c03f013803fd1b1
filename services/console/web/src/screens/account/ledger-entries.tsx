import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Entry } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { entryFilterOf, type LedgerSearch } from "../../search/ledger-search.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Empty, Failure, Loading } from "../../ui/states.tsx";
import { Time, timeHeader } from "../../ui/time.tsx";
import { LedgerCsv } from "./ledger-csv.tsx";
import { LedgerFilters } from "./ledger-filters.tsx";
import { type BalancedEntry, withBalances } from "./running-balance.ts";

const pageSize = 50;

/** The kinds of entries with their names for people. */
const kinds: Readonly<Record<string, readonly [string, Tone]>> = {
  usage: ["Charge", "neutral"],
  failure: ["Not charged", "neutral"],
  top_up: ["Top-up", "good"],
  adjustment: ["Adjustment", "accent"],
  refund: ["Refund", "accent"],
};

/** Whether an adjustment is a refund, of a request or of a payment. */
function isRefund({ kind, reference }: Entry): boolean {
  return kind === "adjustment" && /^(refund|reversal):/.test(reference);
}

/**
 * The entries of an account, the newest first, each with the balance after it, unless some are filtered out.
 * The balances are counted back from the present one, so older entries are added below and never shown alone.
 */
export function LedgerEntries({ accountId, search }: { accountId: string; search: LedgerSearch }) {
  return (
    <>
      <div className="filters">
        <LedgerFilters search={search} />
        <LedgerCsv account={accountId} search={search} />
      </div>
      <Entries accountId={accountId} search={search} />
    </>
  );
}

function Entries({ accountId, search }: { accountId: string; search: LedgerSearch }) {
  const ledger = useLedger(accountId, search);
  if (ledger.error && !ledger.data) {
    return <Failure error={ledger.error} onRetry={() => void ledger.refetch()} />;
  }
  if (!ledger.data) return <Loading />;
  const entries = ledger.data.pages.flatMap(({ entries }) => entries);
  if (entries.length === 0) {
    return entryFilterOf(search) === undefined ? (
      <Empty icon="accounts" title="The ledger is empty">
        Top-ups, charges and adjustments are listed here. None is ever changed or removed.
      </Empty>
    ) : (
      <Empty icon="accounts" title="No entry matches">
        Choose a longer period, or remove a filter.
      </Empty>
    );
  }
  const rows = withBalances(entries, ledger.data.pages[0]?.balance);
  return (
    <>
      <DataTable
        caption="Ledger"
        columns={entryFilterOf(search) === undefined ? [...columns, balanceColumn] : columns}
        rows={rows}
        idOf={({ entry }) => entry.id}
      />
      {ledger.hasNextPage && (
        <div className="pager">
          <Button disabled={ledger.isFetching} onClick={() => void ledger.fetchNextPage()}>
            Show older entries
          </Button>
        </div>
      )}
    </>
  );
}

/** Reads the balance together with the newest entries. */
function useLedger(account: string, search: LedgerSearch) {
  const filter = entryFilterOf(search);
  const transport = useTransport();
  const { listLedger, readWallet } = OperatorService.method;
  return useInfiniteQuery({
    queryKey: ["ledger", account, search],
    initialPageParam: "",
    queryFn: async ({ pageParam, signal }) => {
      const isFirst = pageParam === "" && filter === undefined;
      const page = { account, limit: pageSize, beforeEntryId: pageParam };
      const request = { ...page, ...(filter && { filter }) };
      const [{ entries }, wallet] = await Promise.all([
        callUnaryMethod(transport, listLedger, request, { signal }),
        isFirst ? callUnaryMethod(transport, readWallet, { account }, { signal }) : undefined,
      ]);
      return { entries, balance: wallet?.wallet?.balanceNanoUsd };
    },
    getNextPageParam: ({ entries }) => (entries.length < pageSize ? undefined : entries.at(-1)?.id),
  });
}

const columns: readonly DataColumn<BalancedEntry>[] = [
  { header: timeHeader, cell: ({ entry }) => <Time at={entry.recordedAt} as="seconds" /> },
  {
    header: "Kind",
    cell: ({ entry }) => {
      const kind = isRefund(entry) ? "refund" : entry.kind;
      const [name, tone] = kinds[kind] ?? [kind, "neutral"];
      return <Badge tone={tone}>{name}</Badge>;
    },
  },
  { header: "For", cell: ({ entry }) => <Subject entry={entry} /> },
  {
    header: "Amount",
    money: ({ entry }) => entry.amountNanoUsd,
    signed: true,
  },
];

const balanceColumn: DataColumn<BalancedEntry> = {
  header: "Balance",
  align: "right",
  money: ({ balance }) => balance,
};

/** What an entry is for: the request, or the payment's reference. */
function Subject({ entry }: { entry: Entry }) {
  if (entry.requestId === "") {
    return <span className="cut">{entry.reason || entry.reference}</span>;
  }
  if (entry.kind === "adjustment") {
    return (
      <Link to="/requests/$requestId" params={{ requestId: entry.requestId }} className="row-link">
        {entry.reason}
      </Link>
    );
  }
  return (
    <Link to="/requests/$requestId" params={{ requestId: entry.eventId }} className="row-link">
      {entry.alias || entry.routeType}
    </Link>
  );
}
