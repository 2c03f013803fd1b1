import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Entry, RequestRecord } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { RequestRefusal } from "@tollgate/proto/tollgate/v1/refusal";
import { useAccess } from "../../calls/use-session.ts";
import { Badge } from "../../ui/badge.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Screen } from "../../ui/screen.tsx";
import { Loaded } from "../../ui/states.tsx";
import { AttemptsStep } from "./attempts-step.tsx";
import { ContentPanel } from "./content-panel.tsx";
import { EntryStep } from "./entry-step.tsx";
import { HoldStep } from "./hold-step.tsx";
import { PriceStep } from "./price-step.tsx";
import { RefundSection } from "./refund-section.tsx";
import { RefusalFacts } from "./refusal-facts.tsx";
import { RequestFacts } from "./request-facts.tsx";
import { RequestSums } from "./request-sums.tsx";
import { UsageStep } from "./usage-step.tsx";
import "./request.css";

const route = getRouteApi("/app/requests/$requestId");

/** The money of one request, from its hold to its ledger entry. */
export function RequestScreen() {
  const { requestId } = route.useParams();
  const read = useQuery(OperatorService.method.getRequest, { id: requestId });
  const { requests = [], refusals = [] } = read.data ?? {};
  const shown = (requests[0] ?? refusals[0])?.requestId || requestId;
  return (
    <Screen
      title={`Request ${shown}`}
      heading={
        <>
          <code className="request-id">{shown}</code>
          <CopyButton text={shown} what="request id" />
          <Outcome requests={requests} refusals={refusals} />
        </>
      }
      parent={<Link to="/requests">Requests</Link>}
    >
      <Loaded query={read} rows={14}>
        {({ requests, entries, refunds, refusals, names }) => (
          <>
            {refusals.map((refusal) => (
              <RefusalFacts key={refusal.requestId} refusal={refusal} names={names} />
            ))}
            {requests.map((request, index) => (
              <Generation
                key={request.id}
                {...{ request, names }}
                entry={entries.find(({ eventId }) => eventId === request.id)}
                number={requests.length > 1 ? index + 1 : undefined}
              />
            ))}
            {requests.length > 0 && <RefundSection requests={requests} refunds={refunds} />}
            {requests[0] && (
              <ContentPanel requestId={requests[0].requestId} account={requests[0].accountId} />
            )}
          </>
        )}
      </Loaded>
    </Screen>
  );
}

function Outcome(props: {
  requests: readonly RequestRecord[];
  refusals: readonly RequestRefusal[];
}) {
  const { requests, refusals } = props;
  const served = requests.filter(({ errorCode }) => errorCode === "");
  if (served.some(({ isPartial }) => !isPartial)) return <Badge tone="good">Served</Badge>;
  if (served.length > 0) return <Badge tone="warn">Billed in part</Badge>;
  if (requests.length > 0) return <Badge tone="bad">Failed</Badge>;
  return refusals.length > 0 && <Badge tone="warn">Refused</Badge>;
}

/** The error that the client was sent, or that it left before the end. */
function SentToClient({ request }: { request: RequestRecord }) {
  const { clientStatus, clientCode, clientMessage, endpoint } = request;
  const isLeft = clientStatus === 0 && endpoint !== "";
  if (clientMessage === "" && !isLeft) return null;
  return (
    <p className="notice">
      <Icon name="alert" size={16} />
      <span>
        {isLeft ? (
          "The client left before the end of its response."
        ) : (
          <>
            <strong>
              {clientStatus} {clientCode}
            </strong>{" "}
            {clientMessage}
          </>
        )}
      </span>
    </p>
  );
}

/** One generation of a request. Most requests have one. */
function Generation(props: {
  request: RequestRecord;
  names: Readonly<Record<string, string>>;
  entry: Entry | undefined;
  number: number | undefined;
}) {
  const { request, names, entry, number } = props;
  const { isCustomer } = useAccess();
  return (
    <article className="generation" aria-label={number ? `Generation ${number}` : "The request"}>
      {number && <h2>Generation {number}</h2>}
      <SentToClient request={request} />
      <RequestSums request={request} />
      <RequestFacts request={request} names={names} />
      <ol className="steps">
        <HoldStep request={request} />
        {!isCustomer && <AttemptsStep request={request} />}
        <UsageStep request={request} />
        <PriceStep request={request} />
        <EntryStep request={request} entry={entry} />
      </ol>
    </article>
  );
}
