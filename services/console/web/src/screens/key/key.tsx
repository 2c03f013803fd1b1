import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type Key, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../../calls/use-session.ts";
import { Badge } from "../../ui/badge.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { KeyStateBadge } from "../../ui/key-columns.tsx";
import { LimitList } from "../../ui/limit-list.tsx";
import { Money } from "../../ui/money.tsx";
import { AccountLink } from "../../ui/named.tsx";
import { Screen, Section } from "../../ui/screen.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { EndUsers } from "./end-users.tsx";
import { KeyActions } from "./key-actions.tsx";

const route = getRouteApi("/app/keys/$keyId");

/** One key: what it may call, its limits, and its dates. */
export function KeyScreen() {
  const { keyId } = route.useParams();
  const { canChangeKeys } = useAccess();
  const read = useQuery(OperatorService.method.getKey, { keyId });
  const key = read.data?.key;
  const title = key?.name || key?.shownKey || keyId;
  return (
    <Screen
      title={title}
      heading={
        <>
          {title} {key && <KeyStateBadge of={key} />}
        </>
      }
      parent={<Link to="/keys">Keys</Link>}
      actions={canChangeKeys && key && !key.revokedAt && <KeyActions of={key} />}
    >
      <Loaded query={read}>
        {({ key, names }) => (key ? <Content of={key} names={names} /> : null)}
      </Loaded>
    </Screen>
  );
}

function Content({ of: key, names }: { of: Key; names: Readonly<Record<string, string>> }) {
  const { isCustomer } = useAccess();
  const day = (at: Key["expiresAt"]) => at && <Time at={at} />;
  return (
    <>
      <Facts
        facts={[
          [
            "Id",
            <>
              <code className="id">{key.id}</code> <CopyButton text={key.id} what="key id" />
            </>,
          ],
          [
            "Account",
            !isCustomer && <AccountLink key="account" id={key.accountId} names={names} />,
          ],
          ["Key", <code key="shown">{key.shownKey}</code>],
          ["Owner", key.owner],
          ["Created by", key.memberName],
          ["Kind", key.channel],
          [
            "Models",
            key.models.length === 0 ? (
              "all public models"
            ) : (
              <span key="models">
                <code>{key.models.join(", ")}</code>
                {key.unmatchedModels.length > 0 && (
                  <>
                    {" "}
                    <Badge tone="warn">No model matches {key.unmatchedModels.join(", ")}</Badge>
                  </>
                )}
              </span>
            ),
          ],
          ["Tags", key.tags.length > 0 && <Tags tags={key.tags} />],
          ["Last used", <Time key="used" at={key.lastUsedAt} none="never" />],
          ["This month", <Money key="month" nano={key.monthChargedNanoUsd ?? 0n} />],
          ["Created", day(key.createdAt)],
          ["Expires", key.expiresAt ? day(key.expiresAt) : "never"],
          ["Rotated", day(key.rotatedAt)],
          ["Old text valid until", day(key.replacedExpiresAt)],
          ["Revoked", day(key.revokedAt)],
          ["See also", <SeeAlso key="links" keyId={key.id} />],
        ]}
      />
      <Section title="Limits">
        <LimitList use={key.limits} />
      </Section>
      <EndUsers of={key} />
    </>
  );
}

function SeeAlso({ keyId }: { keyId: string }) {
  return (
    <>
      <Link to="/activity" search={{ key: keyId }}>
        Activity
      </Link>
      {" · "}
      <Link to="/requests" search={{ key: keyId }}>
        Requests
      </Link>
    </>
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <span className="filters">
      {tags.map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
    </span>
  );
}
