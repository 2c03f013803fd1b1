import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Entry } from "@tollgate/proto/tollgate/v1/ledger";
import { AmountOrder } from "@tollgate/proto/tollgate/v1/list";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { ReactNode } from "react";
import { useAccess } from "../../calls/use-session.ts";
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
  /** Empty: every account, or a customer's own. */
  accountId: string;
  search: LedgerSearch;
}

/**
 * The entries of an account, or of all. Those of an account have the balance after them where none is filtered
 * out and the newest is first: the balances are counted back from the present one. Further entries are added
 * below and never shown alone. `children` are further filters.
 */
export function LedgerEntries(props: Props & { children?: ReactNode }) {
  const { accountId, search, children } = props;
  return (
    <>
      <div className="filters">
        {children}
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
  const { isCustomer } = useAccess();
  const isOfAccount = accountId !== "" || isCustomer;
  const hasBalance = isOfAccount && countsBalances(search);
  const ledger = useLedger(accountId, search, hasBalance);
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
  const rows = withBalances(entries, ledger.data.pages[0]?.balance);
  const names = Object.assign({}, ...ledger.data.pages.map((page) => page.names));
  return (
    <>
      <DataTable
        caption="Ledger"
        columns={columnsWith(names, { hasAccount: !isOfAccount, hasBalance })}
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

/** Returns whether each entry of an account has the balance after it. */
function countsBalances(search: LedgerSearch): boolean {
  const isNewest = amountOrderOf(search) === AmountOrder.UNSPECIFIED;
  return entryFilterOf(search) === undefined && isNewest;
}

/** Reads the balance together with the newest entries. */
function useLedger(account: string, search: LedgerSearch, hasBalance: boolean) {
  const filter = entryFilterOf(search);
  const [order, limit] = [amountOrderOf(search), pageSizeOf(search)];
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

/** What an entry is for: the request, with a link for who sees requests, or the payment's reference. */
function Subject({ entry }: { entry: Entry }) {
  const { canSeeKeys } = useAccess();
  if (entry.requestId === "") {
    return <span className="cut">{entry.reason || entry.reference}</span>;
  }
  const [requestId, text] =
    entry.kind === "adjustment"
      ? [entry.requestId, entry.reason]
      : [entry.eventId, entry.alias || entry.routeType];
  if (!canSeeKeys) return text;
  return (
    <Link to="/requests/$requestId" params={{ requestId }} className="row-link">
      {text}
    </Link>
  );
}
