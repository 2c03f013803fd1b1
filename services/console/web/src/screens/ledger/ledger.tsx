import { getRouteApi, Link } from "@tanstack/react-router";
import { AccountFilter } from "../../ui/filter-bar.tsx";
import { Screen } from "../../ui/screen.tsx";
import { LedgerEntries } from "../account/ledger-entries.tsx";

const route = getRouteApi("/app/ledger");

/** The ledger of all accounts, or of one. */
export function LedgerScreen() {
  const { account = "", ...search } = route.useSearch();
  return (
    <Screen title="Ledger" parent={<Link to="/accounts">Accounts</Link>}>
      <div className="filters">
        <AccountFilter account={account} />
      </div>
      <LedgerEntries accountId={account} search={search} />
    </Screen>
  );
}
