import { getRouteApi } from "@tanstack/react-router";
import { otherList } from "../../search/list-search.ts";
import { Screen } from "../../ui/screen.tsx";
import { LinkGroup } from "../../ui/search-link.tsx";
import { AuditLog } from "./audit-log.tsx";
import { Operators } from "./operators.tsx";
import { Retention } from "./retention.tsx";
import { SignInWays } from "./sign-in-ways.tsx";
import { Tokens } from "./tokens.tsx";

const route = getRouteApi("/app/settings");
const tabs = {
  operators: "Operators",
  tokens: "Tokens",
  audit: "Audit log",
  "sign-in": "Sign-in",
  retention: "Retention",
} as const;

/** Who uses the console and its API, and what they changed. */
export function Settings() {
  const { tab = "operators", ...search } = route.useSearch();
  return (
    <Screen title="Settings">
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
      {tab === "operators" && <Operators search={search} />}
      {tab === "tokens" && <Tokens search={search} />}
      {tab === "audit" && <AuditLog search={search} />}
      {tab === "sign-in" && <SignInWays />}
      {tab === "retention" && <Retention />}
    </Screen>
  );
}
