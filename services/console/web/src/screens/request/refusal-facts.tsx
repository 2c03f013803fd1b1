import type { RequestRefusal } from "@tollgate/proto/tollgate/v1/refusal";
import { useAccess } from "../../calls/use-session.ts";
import { Facts } from "../../ui/facts.tsx";
import { Icon } from "../../ui/icons.tsx";
import { AccountLink, KeyLink } from "../../ui/named.tsx";
import { Time } from "../../ui/time.tsx";
import { withCopy } from "../../ui/with-copy.tsx";

/** What the client of a refused request was sent, and who it was. */
export function RefusalFacts(props: {
  refusal: RequestRefusal;
  names: Readonly<Record<string, string>>;
}) {
  const { refusal, names } = props;
  const { isCustomer } = useAccess();
  const { accountId, keyId, shownKey, requestId } = refusal;
  return (
    <article className="generation" aria-label={`Refusal of ${requestId}`}>
      <p className="notice">
        <Icon name="alert" size={16} />
        <span>
          <strong>
            {refusal.status} {refusal.code}
          </strong>{" "}
          {refusal.message}
        </span>
      </p>
      <Facts
        facts={[
          ["Time", <Time key="time" at={refusal.refusedAt} as="exact" />],
          ["Request id", withCopy(requestId, "request id")],
          ["Route", `${refusal.method} ${refusal.route}`],
          ["Field", refusal.param && <code>{refusal.param}</code>],
          ["Model", refusal.alias && <code>{refusal.alias}</code>],
          [
            "Account",
            !isCustomer && accountId && <AccountLink key="account" id={accountId} names={names} />,
          ],
          [
            "Key",
            keyId ? (
              <KeyLink key="key" id={keyId} names={names} />
            ) : (
              shownKey && <code>{shownKey}</code>
            ),
          ],
          ["Key id", withCopy(keyId, "key id")],
          ["Client address", refusal.clientAddress],
          ["Client", refusal.userAgent],
          ["Client’s id", withCopy(refusal.clientRequestId, "client’s id")],
        ]}
      />
    </article>
  );
}
