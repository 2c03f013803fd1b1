import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Entry } from "@tollgate/proto/tollgate/v1/ledger";
import { AmountOrder } from "@tollgate/proto/tollgate/v1/list";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { entryFilterOf, type LedgerSearch } from "../../search/ledger-search.ts";
import { amountOrderOf, pageSizeOf } from "../../search/list-search.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { AccountLink, KeyLink } from "../../ui/named.tsx";
import { PageSizeChoice } from "../../ui/search-link.tsx";
import { Empty, Failure, Loading } from "../../ui/states.tsx";
import { Time, timeHeader } from "../../ui/time.tsx";
import { LedgerCsv } from "./ledger-csv.tsx";
import { LedgerFilters } from "./ledger-filters.tsx";
import { type BalancedEntry, withBalances } from "./running-balance.ts";

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

interface Props {
  /** Empty: every account. */
  accountId: string;
  search: LedgerSearch;
}

/**
 * The entries of an account, or of all. Those of an account have the balance after them where none is filtered
 * out and the newest is first: the balances are counted back from the present one. Further entries are added
 * below and never shown alone.
 */
export function LedgerEntries({ accountId, search }: Props) {
  return (
    <>
      <div className="filters">
        <LedgerFilters search={search} account={accountId} />
        <LedgerCsv account={accountId} search={search} />
      </div>
      {amountOrderOf(search) === AmountOrder.LARGEST && (
        <p className="quiet">Of the newest 5,000 entries.</p>
      )}
      <Entries accountId={accountId} search={search} />
    </>
  );
}

function Entries({ accountId, search }: Props) {
  const ledger = useLedger(accountId, search);
  if (ledger.error && !ledger.data) {
    return <Failure error={ledger.error} onRetry={() => void ledger.refetch()} />;
  }
  if (!ledger.data) return <Loading />;
  const entries = ledger.data.pages.flatMap(({ entries }) => entries);
  if (entries.length === 0 && !ledger.hasNextPage) {
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
  const hasBalance = countsBalances(accountId, search);
  const rows = withBalances(entries, ledger.data.pages[0]?.balance);
  const names = Object.assign({}, ...ledger.data.pages.map((page) => page.names));
  return (
    <>
      <DataTable
        caption="Ledger"
        columns={columnsWith(names, { hasAccount: accountId === "", hasBalance })}
        rows={rows}
        idOf={({ entry }) => entry.id}
      />
      <div className="pager">
        <PageSizeChoice size={pageSizeOf(search)} />
        {ledger.hasNextPage && (
          <Button disabled={ledger.isFetching} onClick={() => void ledger.fetchNextPage()}>
            Show more entries
          </Button>
        )}
      </div>
    </>
  );
}

/** Returns whether each entry has the balance after it. */
function countsBalances(account: string, search: LedgerSearch): boolean {
  const isNewest = amountOrderOf(search) === AmountOrder.UNSPECIFIED;
  return account !== "" && entryFilterOf(search) === undefined && isNewest;
}

/** Reads the balance together with the newest entries. */
function useLedger(account: string, search: LedgerSearch) {
  const filter = entryFilterOf(search);
  const [order, limit] = [amountOrderOf(search), pageSizeOf(search)];
  const hasBalance = countsBalances(account, search);
  const transport = useTransport();
  const { listLedger, readWallet } = OperatorService.method;
  return useInfiniteQuery({
    queryKey: ["ledger", account, search],
    initialPageParam: "",
    queryFn: async ({ pageParam, signal }) => {
      const isFirst = pageParam === "" && hasBalance;
      const page = { account, limit, order, beforeEntryId: pageParam };
      const request = { ...page, ...(filter && { filter }) };
      const [{ entries, nextEntryId, names }, wallet] = await Promise.all([
        callUnaryMethod(transport, listLedger, request, { signal }),
        isFirst ? callUnaryMethod(transport, readWallet, { account }, { signal }) : undefined,
      ]);
      return { entries, nextEntryId, names, balance: wallet?.wallet?.balanceNanoUsd };
    },
    getNextPageParam: ({ nextEntryId }) => nextEntryId || undefined,
  });
}

function columnsWith(
  names: Readonly<Record<string, string>>,
  { hasAccount, hasBalance }: { hasAccount: boolean; hasBalance: boolean },
): DataColumn<BalancedEntry>[] {
  const account: DataColumn<BalancedEntry> = {
    header: "Account",
    cell: ({ entry }) => <AccountLink id={entry.accountId} names={names} />,
  };
  const key: DataColumn<BalancedEntry> = {
    header: "Key",
    isSecondary: true,
    cell: ({ entry: { keyId } }) => keyId && <KeyLink id={keyId} names={names} />,
  };
  return [
    ...columns.slice(0, 2),
    ...(hasAccount ? [account] : []),
    ...columns.slice(2, 3),
    key,
    ...columns.slice(3),
    ...(hasBalance ? [balanceColumn] : []),
  ];
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
