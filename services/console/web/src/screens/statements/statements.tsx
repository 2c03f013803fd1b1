import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Statement } from "@tollgate/proto/tollgate/v1/statement";
import { useAccess } from "../../calls/use-session.ts";
import { pageSizeOf, timedPageOf } from "../../search/list-search.ts";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { AccountFilter } from "../../ui/filter-bar.tsx";
import { AccountLink } from "../../ui/named.tsx";
import { Screen } from "../../ui/screen.tsx";
import { Pager } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { TimedListFilters } from "../../ui/timed-list-filters.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { EditBillingProfile } from "./edit-billing-profile.tsx";
import { StatementFiles } from "./statement-files.tsx";

const route = getRouteApi("/app/statements");

/** The statements of accounts, and to whom those of one account are issued. A customer sees its own. */
export function StatementsScreen() {
  const search = route.useSearch();
  const { isCustomer, canPay } = useAccess();
  const isOfAccount = isCustomer || search.account !== undefined;
  const profile = useOpen();
  const statements = useQuery(
    OperatorService.method.listStatements,
    {
      ...timedPageOf(search),
      ...{ account: search.account ?? "", beforeNumber: BigInt(search.before ?? 0) },
    },
    { placeholderData: (previous) => previous },
  );
  return (
    <Screen
      title="Statements"
      parent={<Link to="/payments">Payments</Link>}
      actions={
        isOfAccount && canPay && <Button onClick={profile.open}>Address on statements</Button>
      }
    >
      <TimedListFilters
        label={isCustomer ? "Search by number or month" : "Search by number, month or account"}
        search={search}
      >
        {!isCustomer && <AccountFilter account={search.account} />}
      </TimedListFilters>
      <Loaded query={statements}>
        {({ statements, nextNumber }) =>
          statements.length === 0 && nextNumber === 0n ? (
            <Empty icon="payments" title="No statement matches">
              Where the gateway issues statements, each month of an account gets one after its end.
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Statements"
                columns={isCustomer ? columns : withAccount(columns)}
                rows={statements}
                idOf={({ number }) => String(number)}
              />
              <Pager
                before={search.before}
                next={nextNumber === 0n ? undefined : String(nextNumber)}
                size={pageSizeOf(search)}
              />
            </>
          )
        }
      </Loaded>
      <EditBillingProfile
        key={profile.key}
        account={search.account ?? ""}
        isOpen={profile.isOpen}
        onClose={profile.close}
      />
    </Screen>
  );
}

function withAccount(columns: readonly DataColumn<Statement>[]): DataColumn<Statement>[] {
  const account: DataColumn<Statement> = {
    header: "Account",
    cell: ({ accountId, accountName }) => (
      <AccountLink id={accountId} names={{ [accountId]: accountName }} />
    ),
  };
  return [...columns.slice(0, 1), account, ...columns.slice(1)];
}

const columns: readonly DataColumn<Statement>[] = [
  {
    header: "Statement",
    cell: ({ number, month }) => (
      <Link to="/statements/$number" params={{ number: String(number) }} className="row-link">
        {String(number)} <span className="quiet">{month}</span>
      </Link>
    ),
  },
  { header: "Issued", isSecondary: true, cell: ({ issuedAt }) => <Time at={issuedAt} as="day" /> },
  { header: "Opening", isSecondary: true, money: ({ sums }) => sums?.openingNanoUsd },
  { header: "Top-ups", isSecondary: true, money: ({ sums }) => sums?.topUpsNanoUsd },
  { header: "Charges", money: ({ sums }) => sums?.chargesNanoUsd },
  { header: "Closing", money: ({ sums }) => sums?.closingNanoUsd },
  {
    header: "Files",
    align: "right",
    cell: ({ number, accountId }) => <StatementFiles number={number} account={accountId} />,
  },
];
