import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { keyOrderOf, keyOrders, type ListSearch, pageSizeOf } from "../../search/list-search.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { keyColumns, keySearchLabel } from "../../ui/key-columns.tsx";
import { OrderChoice } from "../../ui/order-choice.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Pager } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";

interface Props {
  accountId: string;
  search: ListSearch<string>;
}

/** The keys of an account. */
export function AccountKeys({ accountId, search }: Props) {
  const { q, before } = search;
  const limit = pageSizeOf(search);
  const keys = useQuery(
    OperatorService.method.listKeys,
    {
      ...{ account: accountId, limit, search: q ?? "", beforeKeyId: before ?? "" },
      order: keyOrderOf(search.order),
    },
    { placeholderData: (previous) => previous },
  );
  return (
    <>
      <div className="filters">
        <SearchBox label={keySearchLabel} q={q} />
        <OrderChoice orders={keyOrders} order={search.order} />
      </div>
      <Loaded query={keys}>
        {({ keys, hasMore }) =>
          keys.length === 0 ? (
            <Empty icon="keys" title={q === undefined ? "No keys yet" : "No key matches"} />
          ) : (
            <>
              <DataTable caption="Keys" columns={keyColumns} rows={keys} idOf={({ id }) => id} />
              <Pager before={before} next={hasMore ? keys.at(-1)?.id : undefined} size={limit} />
            </>
          )
        }
      </Loaded>
    </>
  );
}
