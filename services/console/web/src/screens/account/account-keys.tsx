import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { DataTable } from "../../ui/data-table.tsx";
import { keyColumns } from "../../ui/key-columns.tsx";
import { Pager } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";

const pageSize = 50;

/** The keys of an account. */
export function AccountKeys(props: { accountId: string; before: string | undefined }) {
  const keys = useQuery(OperatorService.method.listKeys, {
    account: props.accountId,
    limit: pageSize,
    beforeKeyId: props.before ?? "",
  });
  return (
    <Loaded query={keys}>
      {({ keys, hasMore }) =>
        keys.length === 0 ? (
          <Empty icon="keys" title="No keys yet" />
        ) : (
          <>
            <DataTable caption="Keys" columns={keyColumns} rows={keys} idOf={({ id }) => id} />
            <Pager before={props.before} next={hasMore ? keys.at(-1)?.id : undefined} />
          </>
        )
      }
    </Loaded>
  );
}
