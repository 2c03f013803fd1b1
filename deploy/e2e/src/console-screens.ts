import type { Page } from "playwright-core";
import type { FixtureScreen } from "./fixture-screen.ts";

/** A screen of the console, as its fixture shows it. */
export interface ConsoleScreen extends FixtureScreen {
  name: string;
  /** What is done before the screen is looked at, such as opening a dialog. */
  act?: (page: Page) => Promise<void>;
}

/** Presses the button of a name, of which that is a part. */
export const press = (page: Page, name: string) => page.getByRole("button", { name }).click();

async function createCodes(page: Page): Promise<void> {
  await press(page, "Create codes");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Credit of each in USD").fill("10");
  await dialog.getByLabel("How many").fill("40");
  await dialog.getByLabel("Expires (UTC)").fill("2027-01-31T00:00");
  await dialog.getByLabel("Name").fill("spring");
  await press(page, "Create codes");
  await page.getByRole("dialog", { name: "40 codes created" }).waitFor();
}

async function setUpFactor(page: Page): Promise<void> {
  await press(page, "Signed in as");
  await page.getByRole("menuitem", { name: "Set up second factor" }).click();
  await page.getByRole("dialog", { name: "Set up a second factor" }).waitFor();
}

async function scanFactor(page: Page): Promise<void> {
  await setUpFactor(page);
  await page.getByLabel("Present password").fill("owner");
  await press(page, "Continue");
  await page.getByRole("dialog", { name: "Scan the code" }).waitFor();
}

async function confirmFactor(page: Page): Promise<void> {
  await scanFactor(page);
  await page.getByLabel("Code", { exact: true }).fill("123456");
  await press(page, "Turn on");
  await page.getByRole("dialog", { name: "Recovery codes" }).waitFor();
}

async function turnOffFactor(page: Page): Promise<void> {
  await confirmFactor(page);
  await press(page, "Done");
  await press(page, "Signed in as");
  await page.getByRole("menuitem", { name: "Turn off second factor" }).click();
  await page.getByRole("dialog", { name: "Turn off the second factor" }).waitFor();
}

/** The screens that are looked at in each width and theme. */
export const consoleScreens: readonly ConsoleScreen[] = [
  { name: "sign-in", path: "/sign-in", heading: "Sign in to Tollgate", role: "none" },
  {
    ...{ name: "sign-in-code", path: "/sign-in#secret", heading: "Enter your code" },
    ...{ role: "none", state: "code" },
  },
  { name: "factor-set-up", path: "/", heading: "Overview", act: setUpFactor },
  { name: "factor-scan", path: "/", heading: "Overview", act: scanFactor },
  { name: "factor-recovery", path: "/", heading: "Overview", act: confirmFactor },
  { name: "factor-turn-off", path: "/", heading: "Overview", act: turnOffFactor },
  {
    ...{ name: "required-factor", path: "/", heading: "Set up a second factor" },
    state: "factor",
  },
  { name: "overview", path: "/", heading: "Overview" },
  { name: "overview-empty", path: "/", heading: "Overview", state: "empty" },
  { name: "overview-failing", path: "/", heading: "Overview", state: "failing" },
  { name: "overview-customer", path: "/", heading: "Overview", role: "customer" },
  { name: "overview-member", path: "/", heading: "Overview", role: "developer" },
  {
    ...{ name: "overview-member-empty", path: "/", heading: "Overview" },
    ...{ role: "developer", state: "empty" },
  },
  { name: "members", path: "/members", heading: "Members", role: "admin" },
  { name: "sign-up", path: "/sign-up", heading: "Sign up", role: "none" },
  { name: "sign-up-confirm", path: "/sign-up#x", heading: "Confirm your address", role: "none" },
  { name: "reset", path: "/reset", heading: "Choose another password", role: "none" },
  { name: "invitation", path: "/invitation#secret", heading: "Join acme", role: "none" },
  { name: "accounts", path: "/accounts", heading: "Accounts" },
  { name: "months", path: "/months", heading: "Months" },
  { name: "ledger", path: "/ledger", heading: "Ledger" },
  { name: "ledger-admin", path: "/ledger", heading: "Ledger", role: "admin" },
  { name: "ledger-billing", path: "/ledger", heading: "Ledger", role: "billing" },
  { name: "statements", path: "/statements", heading: "Statements" },
  { name: "codes", path: "/codes", heading: "Codes" },
  { name: "codes-empty", path: "/codes", heading: "Codes", state: "empty" },
  {
    ...{ name: "codes-create", path: "/codes", heading: "Codes" },
    act: (page) => press(page, "Create codes"),
  },
  { name: "codes-created", path: "/codes", heading: "Codes", act: createCodes },
  { name: "accounts-empty", path: "/accounts", heading: "Accounts", state: "empty" },
  { name: "account", path: "/accounts", heading: "Northwind Logistics", follow: ".row-link" },
  { name: "keys", path: "/keys", heading: "Keys" },
  { name: "key", path: "/keys", heading: "production", follow: ".row-link" },
  { name: "quick-start", path: "/quick-start", heading: "Quick start" },
  { name: "quick-start-member", path: "/quick-start", heading: "Quick start", role: "developer" },
  { name: "quick-start-empty", path: "/quick-start", heading: "Quick start", state: "empty" },
  { name: "playground", path: "/playground", heading: "Playground" },
  { name: "playground-member", path: "/playground", heading: "Playground", role: "developer" },
  { name: "playground-viewer", path: "/playground", heading: "Playground", role: "viewer" },
  { name: "activity", path: "/activity?period=30d", heading: "Activity" },
  {
    name: "activity-filtered",
    path: "/activity?model=gpt-5&by=key&metric=tokens",
    heading: "Activity",
  },
  { name: "activity-empty", path: "/activity", heading: "Activity", state: "empty" },
  { name: "requests", path: "/requests", heading: "Requests" },
  { name: "requests-customer", path: "/requests", heading: "Requests", role: "customer" },
  {
    ...{ name: "request-customer", path: "/requests", heading: "req_" },
    ...{ role: "customer", follow: ".row-link" },
  },
  { name: "refusals", path: "/refusals", heading: "Refused requests" },
  { name: "refusals-empty", path: "/refusals", heading: "Refused requests", state: "empty" },
  { name: "request-refused", path: "/refusals", heading: "req_", follow: ".row-link" },
  { name: "request", path: "/requests?model=gpt-5", heading: "req_", follow: ".row-link" },
  { name: "request-failed", path: "/requests?failed=1", heading: "req_", follow: ".row-link" },
  { name: "models", path: "/models", heading: "Models and prices" },
  { name: "catalog", path: "/catalog?revision=3", heading: "Catalog" },
  { name: "catalog-empty", path: "/catalog", heading: "Catalog", state: "empty" },
  { name: "editor", path: "/catalog/edit", heading: "Edit the catalog" },
  { name: "editor-models", path: "/catalog/edit?tab=models", heading: "Edit the catalog" },
  { name: "editor-yaml", path: "/catalog/edit?tab=yaml", heading: "Edit the catalog" },
  { name: "editor-empty", path: "/catalog/edit", heading: "Edit the catalog", state: "empty" },
  { name: "editor-viewer", path: "/catalog/edit", heading: "Edit the catalog", role: "viewer" },
  { name: "not-found", path: "/nowhere", heading: "Not found" },
  { name: "warnings", path: "/warnings", heading: "Warnings" },
  { name: "warnings-admin", path: "/warnings", heading: "Warnings", role: "admin" },
  { name: "warnings-empty", path: "/warnings", heading: "Warnings", state: "empty" },
  { name: "payments", path: "/payments", heading: "Payments", role: "billing" },
  {
    ...{ name: "payments-account", path: "/accounts" },
    heading: "Payments of Northwind Logistics",
    follow: [".row-link", "a[href^='/payments?']"],
  },
  { name: "statement", path: "/statements/42", heading: "Statement 42", role: "billing" },
  { name: "settings-operators", path: "/settings", heading: "Settings" },
  { name: "settings-tokens", path: "/settings?tab=tokens", heading: "Settings" },
  { name: "settings-audit", path: "/settings?tab=audit", heading: "Settings" },
  { name: "settings-retention", path: "/settings?tab=retention", heading: "Settings" },
  { name: "settings-sign-in", path: "/settings?tab=sign-in", heading: "Settings" },
];
