import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../src/browser.ts";
import { type ConsolePage, serveConsolePage } from "../src/console-page.ts";
import { describeInBrowser } from "../src/describe-in-browser.ts";
import { eventually } from "../src/eventually.ts";
import { type FixtureScreen, openScreen, type ScreenLook } from "../src/fixture-screen.ts";
import { overflowOf, violationsOf } from "../src/page-checks.ts";

const requests: FixtureScreen = { path: "/requests", heading: "Requests" };
const accounts: FixtureScreen = { path: "/accounts", heading: "Accounts" };
const keys: FixtureScreen = { path: "/keys", heading: "Keys" };
const narrow: ScreenLook = { width: 380, theme: "dark" };

describeInBrowser("what the console's page finds", () => {
  let served: ConsolePage;
  let browser: Browser;

  beforeAll(async () => {
    served = await serveConsolePage();
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  const open = (screen: FixtureScreen, look?: ScreenLook) =>
    openScreen(browser, served.url, screen, look);

  test("an account is picked by the keyboard, as a part of its name is typed, and all of them again", async () => {
    await using shown = await open(requests, narrow);
    const { page, problems } = shown;
    const picker = page.getByRole("combobox", { name: "Account", exact: true });
    await picker.focus();
    await page.keyboard.press("ArrowDown");
    expect(await picker.getAttribute("aria-expanded")).toBe("true");
    // Enter waits for the accounts of what was typed.
    await page.keyboard.type("kestrel");
    await page.keyboard.press("Enter");
    await eventually(async () => expect(await picker.inputValue()).toBe("Kestrel Robotics"));
    const { searchParams } = new URL(page.url());
    expect(searchParams.get("account")).toMatch(/^acct_/);
    expect(await picker.getAttribute("title")).toBe(searchParams.get("account"));
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: "All accounts" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    await page.keyboard.press("Escape");
    expect(await picker.inputValue()).toBe("Kestrel Robotics");
    expect(new URL(page.url()).searchParams.has("account")).toBe(true);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => !url.searchParams.has("account"));
    expect(problems).toEqual([]);
  });

  test("a key is picked among those of the account, and the filter has its name", async () => {
    await using shown = await open(requests);
    const { page } = shown;
    await page.getByRole("combobox", { name: "Account", exact: true }).fill("northwind");
    await page.getByRole("option", { name: /^Northwind/ }).click();
    const filter = page.getByRole("combobox", { name: "Value of the filter" });
    await filter.fill("prod");
    const options = page.getByRole("listbox").getByRole("option");
    await eventually(async () => expect(await options.count()).toBe(1));
    await page.keyboard.press("Enter");
    const chip = page.locator(".chip");
    await chip.filter({ hasText: "production" }).waitFor();
    expect(new URL(page.url()).searchParams.get("key")).toBe(
      await chip.locator(".cut").getAttribute("title"),
    );
  });

  test("in a dialog, Escape closes the list of a picker first, and a choice is required", async () => {
    await using shown = await open(keys);
    const { page } = shown;
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog");
    const picker = dialog.getByRole("combobox", { name: "Account" });
    await picker.fill("no such account");
    await dialog.getByText("Nothing matches").waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    expect(await picker.getAttribute("aria-expanded")).toBe("false");
    await dialog.getByRole("button", { name: "Create key" }).click();
    expect(await picker.evaluate((input) => input.matches(":invalid"))).toBe(true);
    await picker.fill("quanta");
    await page.keyboard.press("Enter");
    await eventually(async () => expect(await picker.inputValue()).toBe("Quanta Research"));
    await dialog.getByRole("button", { name: "Create key" }).click();
    await page.locator("[data-secret]").waitFor();
  });

  test("⌘K finds an account by the keyboard alone, and Escape leads back to where the focus was", async () => {
    await using shown = await open(accounts, narrow);
    const { page, problems } = shown;
    const search = page.getByRole("searchbox", { name: "Search by name or id" });
    const dialog = page.getByRole("dialog", { name: "Search" });
    await search.focus();
    await page.keyboard.press("Control+k");
    await dialog.waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    await page.keyboard.type("kes");
    await dialog.getByRole("option", { name: /^Kestrel Robotics/ }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.locator("input[type=search]:focus").waitFor();
    await page.keyboard.press("Meta+k");
    await page.keyboard.type("kestrel");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Kestrel Robotics" }).waitFor();
    await dialog.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  test("the palette leads from the id of a request to its page, and acts", async () => {
    await using shown = await open(requests);
    const { page } = shown;
    const href = await page.locator("tbody .row-link").first().getAttribute("href");
    const id = (href ?? "").split("/").at(-1) ?? "";
    const field = page.getByRole("dialog").getByRole("combobox");
    await page.getByRole("button", { name: "Search" }).click();
    await field.fill(id);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/requests/${id}`);
    await page.keyboard.press("Control+k");
    await field.fill("theme dark");
    await page.getByText("Nothing matches").waitFor();
    await field.fill("dark");
    await page.keyboard.press("Enter");
    await page.locator("html[data-theme=dark]").waitFor({ state: "attached" });
    await page.keyboard.press("Control+k");
    await field.fill("create key");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Create key" }).waitFor();
  });

  test("the text of a key leads from the palette to the key, and is nowhere on the page", async () => {
    await using shown = await open(accounts);
    const { page } = shown;
    const text = `sk-tollgate-${"s3cr3t".repeat(8)}`;
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill(text);
    await page.waitForURL("**/keys/*");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.content()).not.toContain("s3cr3t");
    expect(page.url()).not.toContain("s3cr3t");
  });

  test("a vendor's key that is pasted is neither sent nor searched for, and Enter chooses nothing", async () => {
    await using shown = await open(requests);
    const { page } = shown;
    const text = "sk-proj-4fG7hJk2LmN9pQr5sTu8vWx1";
    const sent: string[] = [];
    page.on("request", (one) => sent.push(one.url(), one.postData() ?? ""));
    const notice = page.getByText("This looks like a secret").first();
    for (const name of ["Account", "Any id of a request"]) {
      await page.getByLabel(name, { exact: true }).fill(text);
      await page.keyboard.press("Enter");
      await notice.waitFor();
      await page.keyboard.press("Escape");
    }
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill(text);
    await page.getByRole("dialog").getByText("This looks like a secret").waitFor();
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/requests");
    expect(sent.join(" ")).not.toContain(text);
  });

  test("the palette of a customer has its own screens and models alone", async () => {
    await using shown = await open({ path: "/", heading: "Overview", role: "developer" });
    const { page } = shown;
    await page.keyboard.press("Control+k");
    const list = page.getByRole("dialog").getByRole("listbox");
    await list.getByRole("option", { name: /^Overview/ }).waitFor();
    const names = await list.getByRole("option").allInnerTexts();
    expect(names.join(" ")).not.toMatch(/Accounts|Catalog|Settings|Audit|Create account/);
    await page.keyboard.type("gpt-5");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/activity?model=gpt-5");
  });
});
