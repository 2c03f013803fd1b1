import { callUnaryMethod, useQuery, useTransport } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { WalletSums } from "@tollgate/proto/tollgate/v1/statement";
import { byMost, byText, type WholeListRules } from "../../search/whole-list.ts";
import { CsvButton } from "../../ui/csv-button.tsx";
import type { DataColumn } from "../../ui/data-table.tsx";
import { Stat } from "../../ui/facts.tsx";
import { Money } from "../../ui/money.tsx";
import { Screen } from "../../ui/screen.tsx";
import { useSearchChange } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { WholeList } from "../../ui/whole-list.tsx";

const route = getRouteApi("/app/months");

/** The sums of all wallets in a month (UTC), by account and in all. */
export function MonthsScreen() {
  const { month = new Date().toISOString().slice(0, 7), ...search } = route.useSearch();
  const change = useSearchChange();
  const sums = useQuery(OperatorService.method.readMonth, { month });
  const wallets = sums.data?.wallets ?? [];
  const transport = useTransport();
  const { readMonth } = OperatorService.method;
  const read = async () =>
    (await callUnaryMethod(transport, readMonth, { month, asCsv: true })).csv;
  return (
    <Screen
      title="Months"
      parent={<Link to="/accounts">Accounts</Link>}
      actions={wallets.length > 0 && <CsvButton file={`month-${month}.csv`} read={read} />}
    >
      <div className="filters">
        <label className="filter">
          Month (UTC)
          <input
            type="month"
            value={month}
            max={new Date().toISOString().slice(0, 7)}
            onChange={(event) => change({ month: event.target.value || undefined })}
          />
        </label>
      </div>
      <Loaded query={sums} rows={8}>
        {({ wallets, total, hasMore }) => (
          <>
            {total && <Totals total={total} />}
            {wallets.length === 0 ? (
              <Empty icon="accounts" title="No wallet had money in this month">
                Choose another month.
              </Empty>
            ) : (
              <WholeList
                caption="Sums by account"
                columns={columns}
                rows={wallets}
                search={search}
                searchLabel="Search by name or id"
                icon="accounts"
                {...rules}
              />
            )}
            {hasMore && <p className="quiet">The accounts that were charged least are left out.</p>}
          </>
        )}
      </Loaded>
    </Screen>
  );
}

function Totals({ total }: { total: WalletSums }) {
  return (
    <dl className="stats">
      <Stat name="Opening balances">
        <Money nano={total.openingNanoUsd} />
      </Stat>
      <Stat name="Top-ups">
        <Money nano={total.topUpsNanoUsd} />
      </Stat>
      <Stat name="Charges">
        <Money nano={total.chargesNanoUsd} />
      </Stat>
      <Stat name="Refunds">
        <Money nano={total.refundsNanoUsd} />
      </Stat>
      <Stat name="Adjustments">
        <Money nano={total.adjustmentsNanoUsd} />
      </Stat>
      <Stat name="Closing balances">
        <Money nano={total.closingNanoUsd} />
      </Stat>
    </dl>
  );
}

const rules: WholeListRules<WalletSums> = {
  idOf: ({ accountId }) => accountId,
  textsOf: ({ accountId, accountName }) => [accountId, accountName],
  orders: {
    charges: { name: "Charged most first", compare: byMost((one) => one.chargesNanoUsd) },
    name: { name: "By name", compare: byText(({ accountName }) => accountName) },
    balance: { name: "Highest balance first", compare: byMost((one) => one.closingNanoUsd) },
  },
};

const columns: readonly DataColumn<WalletSums>[] = [
  {
    header: "Account",
    cell: ({ accountId, accountName }) => (
      <Link to="/accounts/$accountId" params={{ accountId }} className="row-link" title={accountId}>
        {accountName || accountId}
      </Link>
    ),
  },
  { header: "Opening", money: ({ openingNanoUsd }) => openingNanoUsd },
  { header: "Top-ups", money: ({ topUpsNanoUsd }) => topUpsNanoUsd },
  { header: "Charges", money: ({ chargesNanoUsd }) => chargesNanoUsd },
  { header: "Refunds", money: ({ refundsNanoUsd }) => refundsNanoUsd, isSecondary: true },
  {
    header: "Adjustments",
    money: ({ adjustmentsNanoUsd }) => adjustmentsNanoUsd,
    isSecondary: true,
  },
  { header: "Closing", money: ({ closingNanoUsd }) => closingNanoUsd },
];
