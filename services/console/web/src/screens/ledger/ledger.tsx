import { getRouteApi, Link } from "@tanstack/react-router";
import { useAccess } from "../../calls/use-session.ts";
import { AccountFilter } from "../../ui/filter-bar.tsx";
import { Screen } from "../../ui/screen.tsx";
import { LedgerEntries } from "../account/ledger-entries.tsx";

const route = getRouteApi("/app/ledger");

/** The ledger of all accounts, or of one. A customer sees that of its own. */
export function LedgerScreen() {
  const { account = "", ...search } = route.useSearch();
  const { isCustomer } = useAccess();
  return (
    <Screen title="Ledger" parent={!isCustomer && <Link to="/accounts">Accounts</Link>}>
      <LedgerEntries accountId={account} search={search}>
        {!isCustomer && <AccountFilter account={account} />}
      </LedgerEntries>
    </Screen>
  );
}
