import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import {
  type Account,
  type AccountSummary,
  OperatorService,
} from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../../calls/use-session.ts";
import { otherList } from "../../search/list-search.ts";
import { Badge } from "../../ui/badge.tsx";
import { Facts, Stat } from "../../ui/facts.tsx";
import { LimitList } from "../../ui/limit-list.tsx";
import { Money } from "../../ui/money.tsx";
import { Screen, Section } from "../../ui/screen.tsx";
import { LinkGroup } from "../../ui/search-link.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { withCopy } from "../../ui/with-copy.tsx";
import { ContentSection } from "../content/content-section.tsx";
import { EndUsersSection } from "../content/end-users-section.tsx";
import { AccountMembers } from "../members/account-members.tsx";
import { AccountActions } from "./account-actions.tsx";
import { AccountKeys } from "./account-keys.tsx";
import { AccountPrices } from "./account-prices.tsx";
import { Forecast } from "./forecast.tsx";
import { KeyBoundsSection } from "./key-bounds-section.tsx";
import { LedgerEntries } from "./ledger-entries.tsx";
import { OpenHolds } from "./open-holds.tsx";
import { StoredConversations } from "./stored-conversations.tsx";

const route = getRouteApi("/app/accounts/$accountId");
const tabs = {
  ledger: "Ledger",
  holds: "Open holds",
  keys: "Keys",
  members: "Members",
  prices: "Prices",
} as const;

/**
 * One account: its wallet, its limits, its ledger, its open holds, its keys, its members and its prices.
 */
export function AccountScreen() {
  const { accountId } = route.useParams();
  const account = useQuery(OperatorService.method.getAccount, { account: accountId });
  const { canChange } = useAccess();
  const summary = account.data?.account;
  const name = summary?.account?.name ?? "Account";
  return (
    <Screen
      title={name}
      parent={<Link to="/accounts">Accounts</Link>}
      actions={canChange && summary && <AccountActions summary={summary} />}
    >
      <Loaded query={account}>
        {({ account }) => (account ? <Content summary={account} /> : null)}
      </Loaded>
    </Screen>
  );
}

function endFacts({ frozenAt, closedAt }: Account) {
  return [
    ["Frozen", frozenAt && <Time key="frozen" at={frozenAt} />],
    ["Closed", closedAt && <Time key="closed" at={closedAt} />],
  ] as const;
}

function Content({ summary }: { summary: AccountSummary }) {
  const { account, wallet } = summary;
  if (account === undefined) return null;
  const balance = wallet?.balanceNanoUsd ?? 0n;
  return (
    <>
      <dl className="stats">
        <Stat
          name="Balance"
          note={
            <>
              <Money nano={balance - (wallet?.heldNanoUsd ?? 0n)} /> available
            </>
          }
        >
          <Money nano={balance} />
        </Stat>
        <Stat name="Held" note="by requests in progress, and jobs">
          <Money nano={wallet?.heldNanoUsd ?? 0n} />
        </Stat>
        <Forecast accountId={account.id} balance={balance} />
      </dl>
      <Facts
        facts={[
          ["Id", withCopy(account.id, "account id")],
          [
            "Admission",
            account.admission ? (
              <Badge key="admission">{account.admission}</Badge>
            ) : (
              "the gateway's policy"
            ),
          ],
          ["Plan", account.plan ? <Badge key="plan">{account.plan}</Badge> : "list prices"],
          ["Time zone of budgets", account.timeZone],
          ...endFacts(account),
          ["Created", <Time key="created" at={account.createdAt} />],
          ["See also", <UsageLinks key="links" account={account.id} />],
          ["Conversations", <StoredConversations key="conversations" account={account.id} />],
        ]}
      />
      <Section title="Limits" note="of all its keys together">
        <LimitList use={account.limits} />
      </Section>
      <Parts account={account} />
    </>
  );
}

/** The lists and settings of an account, one at a time. */
function Parts({ account }: { account: Account }) {
  const { tab = "ledger", ...search } = route.useSearch();
  return (
    <>
      <div>
        <LinkGroup
          label="Parts"
          name="tab"
          options={tabs}
          current={tab}
          look="tabs"
          also={otherList}
        />
      </div>
      {tab === "ledger" && <LedgerEntries accountId={account.id} search={search} />}
      {tab === "holds" && <OpenHolds accountId={account.id} search={search} />}
      {tab === "members" && (
        <>
          <AccountMembers account={account.id} search={search} />
          <KeyBoundsSection account={account} />
          <ContentSection account={account.id} />
          <EndUsersSection account={account.id} />
        </>
      )}
      {tab === "keys" && <AccountKeys accountId={account.id} search={search} />}
      {tab === "prices" && <AccountPrices account={account} search={search} />}
    </>
  );
}

function UsageLinks({ account }: { account: string }) {
  return (
    <span>
      <Link to="/activity" search={{ account }}>
        Activity
      </Link>
      {" · "}
      <Link to="/requests" search={{ account }}>
        Requests
      </Link>
      {" · "}
      <Link to="/payments" search={{ account }}>
        Payments
      </Link>
      {" · "}
      <Link to="/warnings" search={{ account }}>
        Warnings
      </Link>
    </span>
  );
}
