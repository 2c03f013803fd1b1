import { Link } from "@tanstack/react-router";
import type { RequestRecord } from "@tollgate/proto/tollgate/v1/ledger";
import { useAccess } from "../../calls/use-session.ts";
import { Facts } from "../../ui/facts.tsx";
import { AccountLink, KeyLink } from "../../ui/named.tsx";
import { Time } from "../../ui/time.tsx";
import { withCopy } from "../../ui/with-copy.tsx";

/** The model and the key of a request, and the ids by which it is found elsewhere. */
export function RequestFacts(props: {
  request: RequestRecord;
  names: Readonly<Record<string, string>>;
}) {
  const { request, names } = props;
  const { isCustomer } = useAccess();
  const { accountId, keyId } = request;
  return (
    <Facts
      facts={[
        ["Time", <Time key="time" at={request.occurredAt} as="exact" />],
        ["Model", <code key="model">{request.alias}</code>],
        ["Account", !isCustomer && <AccountLink key="account" id={accountId} names={names} />],
        ["Route", request.endpoint || request.routeType],
        ["Plan", request.plan],
        ["Key", keyId && <KeyLink key="key" id={keyId} names={names} />],
        ["Key id", withCopy(keyId, "key id")],
        [
          "End user",
          request.endUser && (
            <Link to="/requests" search={{ account: accountId, user: request.endUser }}>
              <code className="id">{request.endUser}</code>
            </Link>
          ),
        ],
        ["Client", request.userAgent],
        ["Client’s id", withCopy(request.clientRequestId, "client’s id")],
        ["Response id", withCopy(request.responseId, "response id")],
        ["Created by", withCopy(request.creationRequestId, "id of the creation")],
        ["Client’s id of the creation", withCopy(request.creationClientRequestId, "client’s id")],
        ["Trace id", withCopy(request.traceId, "trace id")],
        ["Conversation", withCopy(request.conversationId, "conversation id")],
        ["Event id", withCopy(request.id, "event id")],
      ]}
    />
  );
}
