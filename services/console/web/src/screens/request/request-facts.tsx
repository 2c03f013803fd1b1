import { Link } from "@tanstack/react-router";
import type { RequestRecord } from "@tollgate/proto/tollgate/v1/ledger";

import { useAccountNames } from "../../calls/use-account-names.ts";
import { useAccess } from "../../calls/use-session.ts";
import { Facts } from "../../ui/facts.tsx";
import { Time } from "../../ui/time.tsx";
import { withCopy } from "../../ui/with-copy.tsx";

/** The model and the key of a request, and the ids by which it is found elsewhere. */
export function RequestFacts({ request }: { request: RequestRecord }) {
  const { isCustomer } = useAccess();
  const { accountId, keyId } = request;
  const { nameOf } = useAccountNames([accountId]);
  return (
    <Facts
      facts={[
        ["Time", <Time key="time" at={request.occurredAt} as="exact" />],
        ["Model", <code key="model">{request.alias}</code>],
        [
          "Account",
          isCustomer ? undefined : (
            <Link key="account" to="/accounts/$accountId" params={{ accountId }}>
              {nameOf(accountId)}
            </Link>
          ),
        ],
        ["Route", request.endpoint || request.routeType],
        ["Plan", request.plan],
        [
          "Key",
          keyId && (
            <Link to="/keys/$keyId" params={{ keyId }}>
              <code className="id">{keyId}</code>
            </Link>
          ),
        ],
        ["Client", request.userAgent],
        ["Client’s id", withCopy(request.clientRequestId, "client’s id")],
        ["Response id", withCopy(request.responseId, "response id")],
        ["Trace id", withCopy(request.traceId, "trace id")],
        ["Conversation", withCopy(request.conversationId, "conversation id")],
        ["Event id", withCopy(request.id, "event id")],
      ]}
    />
  );
}
