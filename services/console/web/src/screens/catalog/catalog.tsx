import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../../calls/use-session.ts";
import { Screen } from "../../ui/screen.tsx";
import { Loaded } from "../../ui/states.tsx";
import { CatalogStatus } from "./catalog-status.tsx";
import { RevisionDiff } from "./revision-diff.tsx";
import { Revisions } from "./revisions.tsx";

const route = getRouteApi("/app/catalog");
/** A process that lags is seen at once. */
const refetchMs = 2_000;

/** Where the catalog comes from, which process serves which revision, and what each has changed. */
export function CatalogScreen() {
  const { revision, ...search } = route.useSearch();
  const { canChange } = useAccess();
  const status = useQuery(
    OperatorService.method.getCatalogStatus,
    {},
    { refetchInterval: refetchMs },
  );
  return (
    <Screen
      title="Catalog"
      actions={
        canChange && (
          <Link to="/catalog/edit" className="button primary">
            Edit
          </Link>
        )
      }
    >
      <Loaded query={status} rows={4}>
        {(data) => <CatalogStatus status={data} />}
      </Loaded>
      {revision !== undefined && <RevisionDiff revision={BigInt(revision)} />}
      <Revisions search={search} shown={revision} newest={status.data?.revision ?? 0n} />
    </Screen>
  );
}
