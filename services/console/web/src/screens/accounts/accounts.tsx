import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import {
  AccountOrder,
  type AccountSummary,
  OperatorService,
} from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../../calls/use-session.ts";
import { formatCount } from "../../format/numbers.ts";
import { accountOrders, pageSizeOf } from "../../search/list-search.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { OrderChoice } from "../../ui/order-choice.tsx";
import { Screen } from "../../ui/screen.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Pager } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { useAskedOpen } from "../../ui/use-asked-open.ts";
import { CreateAccount } from "./create-account.tsx";
import { WaitingSignUps } from "./waiting-sign-ups.tsx";

const route = getRouteApi("/app/accounts");

/** The accounts. */
export function Accounts() {
  const { q, order, before, create: isAsked, ...search } = route.useSearch();
  const limit = pageSizeOf(search);
  const { canChange } = useAccess();
  const creation = useAskedOpen(isAsked === true && canChange);
  const accounts = useQuery(OperatorService.method.listAccounts, {
    ...{ search: q ?? "", limit, beforeAccountId: before ?? "" },
    order: order === "name" ? AccountOrder.NAME : AccountOrder.UNSPECIFIED,
  });
  const actions = (
    <>
      <Link to="/ledger">Ledger</Link>
      <Link to="/months">Sums by month</Link>
      <Link to="/payments">Payments</Link>
      {canChange && (
        <Button look="primary" icon="plus" onClick={creation.open}>
          Create account
        </Button>
      )}
    </>
  );
  return (
    <Screen title="Accounts" actions={actions}>
      <WaitingSignUps />
      <div className="filters">
        <SearchBox label="Search by name or id" q={q} />
        <OrderChoice orders={accountOrders} order={order} />
      </div>
      <Loaded query={accounts}>
        {({ accounts, hasMore }) =>
          accounts.length === 0 && q !== undefined ? (
            <Empty icon="accounts" title="No account matches" />
          ) : accounts.length === 0 ? (
            <Empty icon="accounts" title="No accounts yet">
              An account has a prepaid wallet, and keys that spend from it.
            </Empty>
          ) : (
            <>
              <DataTable caption="Accounts" columns={columns} rows={accounts} idOf={idOf} />
              <Pager
                before={before}
                next={hasMore ? idOf(accounts.at(-1)) : undefined}
                size={limit}
              />
            </>
          )
        }
      </Loaded>
      <CreateAccount key={creation.key} isOpen={creation.isOpen} onClose={creation.close} />
    </Screen>
  );
}

const columns: readonly DataColumn<AccountSummary>[] = [
  {
    header: "Account",
    cell: ({ account }) => (
      <Link
        to="/accounts/$accountId"
        params={{ accountId: account?.id ?? "" }}
        className="row-link cut"
      >
        {account?.name}
      </Link>
    ),
  },
  {
    header: "Admission",
    cell: ({ account }) =>
      account?.admission ? (
        <Badge>{account.admission}</Badge>
      ) : (
        <span className="quiet">default</span>
      ),
  },
  { header: "Active keys", align: "right", cell: ({ activeKeys }) => formatCount(activeKeys) },
  {
    header: "Held",
    money: ({ wallet }) => wallet?.heldNanoUsd ?? 0n,
  },
  {
    header: "Balance",
    align: "right",
    money: ({ wallet }) => wallet?.balanceNanoUsd,
  },
  {
    header: "Created",
    align: "right",
    isSecondary: true,
    cell: ({ account }) => <Time at={account?.createdAt} as="day" />,
  },
];

function idOf(summary: AccountSummary | undefined): string {
  return summary?.account?.id ?? "";
}
