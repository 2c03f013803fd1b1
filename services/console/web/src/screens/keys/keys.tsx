import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type Key, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { type AccountNames, useAccountNames } from "../../calls/use-account-names.ts";
import { useAccess } from "../../calls/use-session.ts";
import { AccountFilter } from "../../ui/account-filter.tsx";
import { Button } from "../../ui/button.tsx";
import { CreateKey } from "../../ui/create-key.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { keyColumns } from "../../ui/key-columns.tsx";
import { Screen } from "../../ui/screen.tsx";
import { Pager } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { useOpen } from "../../ui/use-open.ts";

const route = getRouteApi("/app/keys");
const pageSize = 50;

/** The keys, the newest first. */
export function Keys() {
  const { account = "", before } = route.useSearch();
  const { canChangeKeys, isCustomer } = useAccess();
  const creation = useOpen();
  const keys = useQuery(OperatorService.method.listKeys, {
    account,
    limit: pageSize,
    beforeKeyId: before ?? "",
  });
  const names = useAccountNames(keys.data?.keys.map(({ accountId }) => accountId));
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
      {!isCustomer && (
        <div className="filters">
          <AccountFilter account={account} />
        </div>
      )}
      <Loaded query={keys}>
        {({ keys, hasMore }) =>
          keys.length === 0 ? (
            <Empty icon="keys" title={account ? "This account has no keys" : "No keys yet"}>
              A program calls the gateway with a key of an account.
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Keys"
                columns={isCustomer ? keyColumns : withAccount(names)}
                rows={keys}
                idOf={({ id }) => id}
              />
              <Pager before={before} next={hasMore ? keys.at(-1)?.id : undefined} />
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

function withAccount({ nameOf }: AccountNames): DataColumn<Key>[] {
  const account: DataColumn<Key> = {
    header: "Account",
    cell: ({ accountId }) => (
      <Link to="/accounts/$accountId" params={{ accountId }} className="cut">
        {nameOf(accountId)}
      </Link>
    ),
  };
  return [...keyColumns.slice(0, 1), account, ...keyColumns.slice(1)];
}
