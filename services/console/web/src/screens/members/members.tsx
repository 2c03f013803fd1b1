import { getRouteApi } from "@tanstack/react-router";
import { Screen } from "../../ui/screen.tsx";
import { ContentSection } from "../content/content-section.tsx";
import { EndUsersSection } from "../content/end-users-section.tsx";
import { AccountMembers } from "./account-members.tsx";

const route = getRouteApi("/app/members");

/** The members of the account that the page shows to one of its admins. */
export function Members() {
  return (
    <Screen title="Members">
      <AccountMembers account="" search={route.useSearch()} />
      <ContentSection account="" />
      <EndUsersSection account="" />
    </Screen>
  );
}
