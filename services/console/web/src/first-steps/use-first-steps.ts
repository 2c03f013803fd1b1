import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useEffect } from "react";
import { readStoredDraft } from "../screens/editor/draft/stored-draft.ts";
import { storeIsFollowing } from "./following.ts";
import { type FirstStep, stepsOf } from "./steps-of.ts";

/** A step may be done elsewhere, such as the request of a client. */
const refetchInterval = 4_000;

interface FirstSteps {
  steps: readonly FirstStep[];
  /** The first that is not done. */
  next: FirstStep | undefined;
  /** The newest request. Empty: none was made. */
  requestId: string;
}

/** Returns what a new gateway needs before a client gets a response; undefined while that is read. */
export function useFirstSteps(): FirstSteps | undefined {
  const { listCatalogRevisions, listModels, listAccounts } = OperatorService.method;
  const { listKeys, listRequests } = OperatorService.method;
  const revisions = useQuery(listCatalogRevisions, { limit: 1 }).data?.revisions;
  const models = useQuery(listModels, {}).data?.models;
  const accounts = useQuery(listAccounts, { limit: 2 }).data?.accounts;
  const keys = useQuery(listKeys, { limit: 1 }).data?.keys;
  const requests = useQuery(
    listRequests,
    { limit: 1 },
    { refetchInterval: ({ state }) => state.data?.requests.length === 0 && refetchInterval },
  ).data?.requests;
  const isKnown = revisions && models && accounts && keys && requests;
  const steps = isKnown
    ? stepsOf({
        ...{ revisions, models, keys, requests },
        accounts: accounts.flatMap(({ account }) => account ?? []),
        hasDraft: readStoredDraft(sessionStorage) !== undefined,
      })
    : undefined;
  const next = steps?.find(({ isDone }) => !isDone);
  const isFollowing = steps && next !== undefined;
  useEffect(() => {
    if (isFollowing !== undefined) storeIsFollowing(sessionStorage, isFollowing);
  }, [isFollowing]);
  return steps && { steps, next, requestId: requests?.[0]?.id ?? "" };
}
