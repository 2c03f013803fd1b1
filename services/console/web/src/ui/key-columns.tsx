import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Link } from "@tanstack/react-router";
import type { Key } from "@tollgate/proto/tollgate/v1/operator";
import { Badge } from "./badge.tsx";
import type { DataColumn } from "./data-table.tsx";
import { Money } from "./money.tsx";
import { Share } from "./share.tsx";
import { Time } from "./time.tsx";

/** What a search of keys looks at. */
export const keySearchLabel = "Search by name, owner, tag or id, or paste a key";

/** The columns of a table of keys. */
export const keyColumns: readonly DataColumn<Key>[] = [
  {
    header: "Key",
    cell: (key) => (
      <span className="stack">
        <Link to="/keys/$keyId" params={{ keyId: key.id }} className="row-link cut" title={key.id}>
          {key.name || key.shownKey}
        </Link>
        {key.name && <code className="quiet shown-key">{key.shownKey}</code>}
      </span>
    ),
  },
  { header: "State", cell: (key) => <KeyStateBadge of={key} /> },
  {
    header: "Models",
    cell: ({ models }) =>
      models.length === 0 ? (
        <span className="quiet">all public</span>
      ) : (
        <code className="cut">{models.join(", ")}</code>
      ),
  },
  {
    header: "Owner",
    isSecondary: true,
    cell: ({ owner, memberName }) => <span className="cut">{owner || memberName}</span>,
  },
  { header: "Budget", align: "right", cell: (key) => <BudgetUse of={key} /> },
  { header: "This month", money: ({ monthChargedNanoUsd }) => monthChargedNanoUsd },
  {
    header: "Last used",
    align: "right",
    cell: ({ lastUsedAt }) => <Time at={lastUsedAt} as="relative" none="never" />,
  },
];

/** Whether a key can be used. */
export function KeyStateBadge({ of: { revokedAt, expiresAt, channel } }: { of: Key }) {
  if (revokedAt) return <Badge tone="bad">Revoked</Badge>;
  if (expiresAt && timestampDate(expiresAt).getTime() <= Date.now()) {
    return <Badge tone="bad">Expired</Badge>;
  }
  return channel ? <Badge tone="accent">{channel}</Badge> : <Badge tone="good">Active</Badge>;
}

function BudgetUse({ of: { limits } }: { of: Key }) {
  const budget = limits?.limits?.budget;
  if (limits === undefined || budget === undefined) return <span className="quiet">none</span>;
  const used = limits.spentNanoUsd + limits.heldNanoUsd;
  const isNear = used * 10n >= budget.amountNanoUsd * 9n;
  return (
    <span className="stack">
      <span>
        <Money nano={used} /> <span className="quiet">of</span>{" "}
        <Money nano={budget.amountNanoUsd} />
      </span>
      <Share part={used} total={budget.amountNanoUsd} {...(isNear && { tone: "warn" as const })} />
    </span>
  );
}
