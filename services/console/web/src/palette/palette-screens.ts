import type { Access } from "../calls/use-session.ts";
import { destinationsOf } from "../shell/navigation.ts";
import type { IconName } from "../ui/icons.tsx";

/** A screen, or a part of one, with its address. */
interface PaletteScreen {
  name: string;
  icon: IconName;
  to:
    | ReturnType<typeof destinationsOf>[number]["to"]
    | "/refusals"
    | "/months"
    | "/ledger"
    | "/payments"
    | "/statements"
    | "/codes"
    | "/warnings"
    | "/catalog/edit";
  search?: { tab: "tokens" | "audit" | "sign-in" | "retention" };
}

/** Returns the screens that somebody has: those of the menu, and those that others lead to. */
export function screensOf(access: Access): readonly PaletteScreen[] {
  const { isCustomer, canSeeKeys, canChange, canPay } = access;
  return [
    ...destinationsOf(access).map(({ name, icon, to }) => ({ name, icon, to })),
    ...(canSeeKeys ? [refusals] : []),
    warnings,
    ...(isCustomer && !canPay ? [] : [statements]),
    ...(isCustomer ? [] : operatorScreens),
    ...(canChange ? [editor] : []),
  ];
}

const refusals: PaletteScreen = { name: "Refused requests", icon: "requests", to: "/refusals" };
const warnings: PaletteScreen = { name: "Warnings", icon: "bell", to: "/warnings" };
const statements: PaletteScreen = { name: "Statements", icon: "payments", to: "/statements" };
const editor: PaletteScreen = { name: "Edit the catalog", icon: "catalog", to: "/catalog/edit" };

const operatorScreens: readonly PaletteScreen[] = [
  { name: "Ledger", icon: "ledger", to: "/ledger" },
  { name: "Sums by month", icon: "accounts", to: "/months" },
  { name: "Payments", icon: "payments", to: "/payments" },
  { name: "Codes", icon: "payments", to: "/codes" },
  { name: "Operator tokens", icon: "settings", to: "/settings", search: { tab: "tokens" } },
  { name: "Audit log", icon: "settings", to: "/settings", search: { tab: "audit" } },
  { name: "Ways to sign in", icon: "settings", to: "/settings", search: { tab: "sign-in" } },
  { name: "Retention", icon: "settings", to: "/settings", search: { tab: "retention" } },
];
