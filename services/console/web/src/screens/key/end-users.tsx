import { Link } from "@tanstack/react-router";
import type { LimitUse } from "@tollgate/proto/tollgate/v1/limits";
import type { Key } from "@tollgate/proto/tollgate/v1/operator";
import { formatCount } from "../../format/numbers.ts";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Facts } from "../../ui/facts.tsx";
import { periodNames } from "../../ui/limit-list.tsx";
import { Money } from "../../ui/money.tsx";
import { Section } from "../../ui/screen.tsx";
import { Share } from "../../ui/share.tsx";

/** The limits of each end user of a key, and the users who have spent most in the period. */
export function EndUsers({ of: key }: { of: Key }) {
  const { budgetPerUser: budget, requestsPerMinutePerUser: requests } = key.limits?.limits ?? {};
  if (budget === undefined && requests === undefined) return null;
  const columns = [
    userColumn(key),
    ...(budget === undefined ? [] : budgetColumns),
    ...(requests === undefined ? [] : requestColumns),
  ];
  return (
    <Section title="End users" note="those who have spent most in the period">
      <Facts
        facts={[
          [
            "Budget of each",
            budget && (
              <span key="budget">
                <Money nano={budget.amountNanoUsd} /> {periodNames[budget.period]}
              </span>
            ),
          ],
          ["Requests of each", requests && `${formatCount(requests)} a minute`],
        ]}
      />
      {key.endUsers.length === 0 ? (
        <p className="quiet">No end user has spent anything yet.</p>
      ) : (
        <DataTable
          caption="End users"
          columns={columns}
          rows={key.endUsers}
          idOf={({ ownerId }) => ownerId}
        />
      )}
    </Section>
  );
}

/** A user leads to the requests of the key that name it. */
function userColumn({ id, accountId }: Key): DataColumn<LimitUse> {
  return {
    header: "User",
    cell: ({ endUser: user }) =>
      user ? (
        <Link to="/requests" search={{ account: accountId, key: id, user }}>
          <code className="id">{user}</code>
        </Link>
      ) : (
        <span className="quiet">none named</span>
      ),
  };
}

const budgetColumns: readonly DataColumn<LimitUse>[] = [
  { header: "Spent", money: ({ spentNanoUsd }) => spentNanoUsd },
  { header: "Held", money: ({ heldNanoUsd }) => heldNanoUsd, isSecondary: true },
  {
    header: "Of the budget",
    isSecondary: true,
    cell: ({ spentNanoUsd, heldNanoUsd, limits }) => (
      <Share
        part={spentNanoUsd + heldNanoUsd}
        total={limits?.budget?.amountNanoUsd ?? 0n}
        {...(limits?.budget && spentNanoUsd >= limits.budget.amountNanoUsd && { tone: "bad" })}
      />
    ),
  },
];

const requestColumns: readonly DataColumn<LimitUse>[] = [
  {
    header: "Requests in the last minute",
    align: "right",
    cell: ({ requests }) => formatCount(requests),
  },
];
