import type { Access } from "../calls/use-session.ts";
import type { IconName } from "../ui/icons.tsx";

interface Destination {
  to:
    | "/"
    | "/accounts"
    | "/keys"
    | "/members"
    | "/quick-start"
    | "/playground"
    | "/ledger"
    | "/payments"
    | "/activity"
    | "/requests"
    | "/models"
    | "/catalog"
    | "/settings";
  name: string;
  icon: IconName;
  /** The screens that this one leads to and that the menu does not list. */
  beside?: readonly string[];
  /** Whether a customer has this screen. */
  isForCustomers: boolean;
  /** Whether those who may do this alone have it. */
  needs?: "canSeeKeys" | "canChangeKeys" | "canPlay";
}

/** Returns the screens that somebody has. */
export function destinationsOf(access: Access): readonly Destination[] {
  const { isCustomer, canManageMembers, canPay, canSeeLedger } = access;
  const shown = destinations.filter(
    ({ isForCustomers, needs }) =>
      (isForCustomers || !isCustomer) && (needs === undefined || access[needs]),
  );
  if (!isCustomer) return shown;
  return [
    ...shown,
    ...(canSeeLedger ? [ledger] : []),
    ...(canPay ? [payments] : []),
    ...(canManageMembers ? [members] : []),
  ];
}

/** Returns whether a screen of the menu is the one at an address, or leads to it. */
export function isBeside({ beside = [] }: Destination, pathname: string): boolean {
  return beside.some((one) => pathname === one || pathname.startsWith(`${one}/`));
}

/** An operator finds the ledger, payments and members by the screen of their account. */
const ledger: Destination = { to: "/ledger", name: "Ledger", icon: "ledger", isForCustomers: true };

const payments: Destination = {
  to: "/payments",
  name: "Payments",
  icon: "payments",
  isForCustomers: true,
  beside: ["/statements"],
};

const members: Destination = {
  to: "/members",
  name: "Members",
  icon: "user",
  isForCustomers: true,
};

/** The screens of the console, in the order of the menu. */
const destinations: readonly Destination[] = [
  { to: "/", name: "Overview", icon: "overview", isForCustomers: true },
  {
    to: "/accounts",
    name: "Accounts",
    icon: "accounts",
    isForCustomers: false,
    beside: ["/months", "/ledger", "/payments", "/statements", "/codes"],
  },
  { to: "/keys", name: "Keys", icon: "keys", isForCustomers: true, needs: "canSeeKeys" },
  {
    to: "/quick-start",
    name: "Quick start",
    icon: "start",
    isForCustomers: true,
    needs: "canChangeKeys",
  },
  {
    to: "/playground",
    name: "Playground",
    icon: "playground",
    isForCustomers: true,
    needs: "canPlay",
  },
  { to: "/activity", name: "Activity", icon: "activity", isForCustomers: true },
  {
    to: "/requests",
    name: "Requests",
    icon: "requests",
    isForCustomers: true,
    beside: ["/refusals"],
    needs: "canSeeKeys",
  },
  { to: "/models", name: "Models", icon: "models", isForCustomers: false },
  { to: "/catalog", name: "Catalog", icon: "catalog", isForCustomers: false },
  { to: "/settings", name: "Settings", icon: "settings", isForCustomers: false },
];
