import type { IconName } from "../ui/icons.tsx";

interface Destination {
  to: "/" | "/accounts" | "/keys" | "/activity" | "/requests" | "/models" | "/settings";
  name: string;
  icon: IconName;
  /** Whether a customer has this screen. */
  isForCustomers: boolean;
}

/** The screens of the console, in the order of the menu. */
export const destinations: readonly Destination[] = [
  { to: "/", name: "Overview", icon: "overview", isForCustomers: true },
  { to: "/accounts", name: "Accounts", icon: "accounts", isForCustomers: false },
  { to: "/keys", name: "Keys", icon: "keys", isForCustomers: true },
  { to: "/activity", name: "Activity", icon: "activity", isForCustomers: true },
  { to: "/requests", name: "Requests", icon: "requests", isForCustomers: true },
  { to: "/models", name: "Models", icon: "models", isForCustomers: false },
  { to: "/settings", name: "Settings", icon: "settings", isForCustomers: false },
];
