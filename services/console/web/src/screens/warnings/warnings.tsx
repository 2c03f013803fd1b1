import { getRouteApi } from "@tanstack/react-router";
import { useAccess } from "../../calls/use-session.ts";
import { Screen } from "../../ui/screen.tsx";
import { WarningChannels } from "./warning-channels.tsx";
import { WarningList } from "./warning-list.tsx";
import { RulesSection } from "./warning-rules.tsx";

const route = getRouteApi("/app/warnings");

/** The warnings of an account, its rules and channels. An operator without `account` sees the gateway's. */
export function WarningsScreen() {
  const search = route.useSearch();
  const { account = "" } = search;
  const { canSeeWarningRules, isCustomer } = useAccess();
  return (
    <Screen title={account === "" || isCustomer ? "Warnings" : "Warnings of an account"}>
      <WarningList search={search} />
      {canSeeWarningRules && (
        <>
          <RulesSection account={account} />
          <WarningChannels account={account} />
        </>
      )}
    </Screen>
  );
}
