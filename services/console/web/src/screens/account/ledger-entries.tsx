import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Entry } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Empty, Failure, Loading } from "../../ui/states.tsx";
import { Time, timeHeader } from "../../ui/time.tsx";
import { type BalancedEntry, withBalances } from "./running-balance.ts";

const pageSize = 50;

/** The kinds of entries with their names for people. */
const kinds: Readonly<Record<string, readonly [string, Tone]>> = {
  usage: ["Charge", "neutral"],
  failure: ["Not charged", "neutral"],
  top_up: ["Top-up", "good"],
  adjustment: ["Adjustment", "accent"],
};

/**
 * The entries of an account, the newest first, each with the balance after it. The balances are
 * counted back from the present one, so older entries are added below and never shown alone.
 */
export function LedgerEntries({ accountId }: { accountId: string }) {
  const ledger = useLedger(accountId);
  if (ledger.error && !ledger.data) {
    return <Failure error={ledger.error} onRetry={() => void ledger.refetch()} />;
  }
  if (!ledger.data) return <Loading />;
  const entries = ledger.data.pages.flatMap(({ entries }) => entries);
  if (entries.length === 0) {
    return (
      <Empty icon="accounts" title="The ledger is empty">
        Top-ups, charges and adjustments are listed here. None is ever changed or removed.
      </Empty>
    );
  }
  const rows = withBalances(entries, ledger.data.pages[0]?.balance);
  return (
    <>
      <DataTable caption="Ledger" columns={columns} rows={rows} idOf={({ entry }) => entry.id} />
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
function useLedger(account: string) {
  const transport = useTransport();
  const { listLedger, readWallet } = OperatorService.method;
  return useInfiniteQuery({
    queryKey: ["ledger", account],
    initialPageParam: "",
    queryFn: async ({ pageParam, signal }) => {
      const isFirst = pageParam === "";
      const request = { account, limit: pageSize, beforeEntryId: pageParam };
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
      const [name, tone] = kinds[entry.kind] ?? [entry.kind, "neutral"];
      return <Badge tone={tone}>{name}</Badge>;
    },
  },
  { header: "For", cell: ({ entry }) => <Subject entry={entry} /> },
  {
    header: "Amount",
    money: ({ entry }) => entry.amountNanoUsd,
    signed: true,
  },
  {
    header: "Balance",
    align: "right",
    money: ({ balance }) => balance,
  },
];

/** What an entry is for: the request, or the payment's reference. */
function Subject({ entry }: { entry: Entry }) {
  if (entry.requestId === "") {
    return <span className="cut">{entry.reason || entry.reference}</span>;
  }
  return (
    <Link to="/requests/$requestId" params={{ requestId: entry.eventId }} className="row-link">
      {entry.alias || entry.routeType}
    </Link>
  );
}
