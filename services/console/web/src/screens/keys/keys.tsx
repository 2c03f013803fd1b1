import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi } from "@tanstack/react-router";
import { type Key, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../../calls/use-session.ts";
import { keyOrderOf, keyOrders, pageSizeOf } from "../../search/list-search.ts";
import { Button } from "../../ui/button.tsx";
import { CreateKey } from "../../ui/create-key.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { AccountFilter } from "../../ui/filter-bar.tsx";
import { keyColumns, keySearchLabel } from "../../ui/key-columns.tsx";
import { AccountLink } from "../../ui/named.tsx";
import { OrderChoice } from "../../ui/order-choice.tsx";
import { Screen } from "../../ui/screen.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Pager } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { useAskedOpen } from "../../ui/use-asked-open.ts";

const route = getRouteApi("/app/keys");

/** The keys. */
export function Keys() {
  const { account = "", q, order = "newest", before, create, ...search } = route.useSearch();
  const limit = pageSizeOf(search);
  const { canChangeKeys, isCustomer } = useAccess();
  const creation = useAskedOpen(create === true && canChangeKeys);
  const keys = useQuery(OperatorService.method.listKeys, {
    ...{ account, search: q ?? "", order: keyOrderOf(order), limit, beforeKeyId: before ?? "" },
  });
  return (
    <Screen
      title="Keys"
      actions={
        canChangeKeys && (
          <Button look="primary" icon="plus" onClick={creation.open}>
            Create key
          </Button>
        )
      }
    >
      <div className="filters">
        <SearchBox label={keySearchLabel} q={q} />
        {!isCustomer && <AccountFilter account={account} />}
        <OrderChoice orders={keyOrders} order={order} />
      </div>
      <Loaded query={keys}>
        {({ keys, hasMore, names }) =>
          keys.length === 0 ? (
            <NoKeys isSearch={q !== undefined} isOfAccount={account !== ""} />
          ) : (
            <>
              <DataTable
                caption="Keys"
                columns={isCustomer ? keyColumns : withAccount(names)}
                rows={keys}
                idOf={({ id }) => id}
              />
              <Pager before={before} next={hasMore ? keys.at(-1)?.id : undefined} size={limit} />
            </>
          )
        }
      </Loaded>
      <CreateKey
        key={creation.key}
        account={account}
        isOpen={creation.isOpen}
        onClose={creation.close}
      />
    </Screen>
  );
}

function NoKeys({ isSearch, isOfAccount }: { isSearch: boolean; isOfAccount: boolean }) {
  if (isSearch) return <Empty icon="keys" title="No key matches" />;
  return (
    <Empty icon="keys" title={isOfAccount ? "This account has no keys" : "No keys yet"}>
      A program calls the gateway with a key of an account.
    </Empty>
  );
}

function withAccount(names: Readonly<Record<string, string>>): DataColumn<Key>[] {
  const account: DataColumn<Key> = {
    header: "Account",
    cell: ({ accountId }) => <AccountLink id={accountId} names={names} />,
  };
  return [...keyColumns.slice(0, 1), account, ...keyColumns.slice(1)];
}
