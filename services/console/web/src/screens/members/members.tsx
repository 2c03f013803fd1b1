import { Screen } from "../../ui/screen.tsx";
import { AccountMembers } from "./account-members.tsx";

/** The members of the account that the page shows to one of its admins. */
export function Members() {
  return (
    <Screen title="Members">
      <AccountMembers account="" />
    </Screen>
  );
}
