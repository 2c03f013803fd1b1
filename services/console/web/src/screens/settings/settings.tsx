import { getRouteApi } from "@tanstack/react-router";
import { Page } from "../../ui/page.tsx";
import { LinkGroup } from "../../ui/search-link.tsx";
import { Audit } from "./audit.tsx";
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
  const { tab = "operators", before } = route.useSearch();
  return (
    <Page title="Settings">
      <div>
        <LinkGroup label="Parts" name="tab" options={tabs} current={tab} look="tabs" />
      </div>
      {tab === "operators" && <Operators />}
      {tab === "tokens" && <Tokens />}
      {tab === "audit" && <Audit before={before} />}
      {tab === "sign-in" && <SignInWays />}
      {tab === "retention" && <Retention />}
    </Page>
  );
}
