import { getRouteApi, Link } from "@tanstack/react-router";
import { usePayingAccount } from "../../calls/use-paying-account.ts";
import { PayingAccountChoice } from "../../ui/paying-account-choice.tsx";
import { Screen } from "../../ui/screen.tsx";
import { Empty } from "../../ui/states.tsx";
import { QuickStart } from "./quick-start.tsx";

const route = getRouteApi("/app/quick-start");

/** A first request, for each client. */
export function QuickStartScreen() {
  const { account: chosen = "" } = route.useSearch();
  const paying = usePayingAccount(chosen);
  return (
    <Screen title="Quick start" actions={<PayingAccountChoice {...paying} />}>
      {paying.isMissing ? (
        <Empty icon="accounts" title="No account yet">
          <Link to="/accounts">Create an account</Link>, whose key a client calls the gateway with.
        </Empty>
      ) : (
        <QuickStart key={paying.account} account={paying.account} />
      )}
    </Screen>
  );
}
