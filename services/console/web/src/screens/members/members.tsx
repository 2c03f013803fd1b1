import { Screen } from "../../ui/screen.tsx";
import { ContentSection } from "../content/content-section.tsx";
import { EndUsersSection } from "../content/end-users-section.tsx";
import { AccountMembers } from "./account-members.tsx";

/** The members of the account that the page shows to one of its admins. */
export function Members() {
  return (
    <Screen title="Members">
      <AccountMembers account="" />
      <ContentSection account="" />
      <EndUsersSection account="" />
    </Screen>
  );
}
