import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../src/browser.ts";
import { type ConsolePage, serveConsolePage } from "../src/console-page.ts";
import { type ConsoleScreen, consoleScreens, press } from "../src/console-screens.ts";
import { describeInBrowser } from "../src/describe-in-browser.ts";
import { openScreen, type ScreenLook } from "../src/fixture-screen.ts";
import { screenshots, violationsOf } from "../src/page-checks.ts";

const widths = [1_440, 1_024, 380] as const;
const themes = ["light", "dark"] as const;

describeInBrowser("the console's page", () => {
  let served: ConsolePage;
  let browser: Browser;

  beforeAll(async () => {
    await mkdir(screenshots, { recursive: true });
    served = await serveConsolePage();
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  async function open(screen: ConsoleScreen, look?: ScreenLook) {
    const shown = await openScreen(browser, served.url, screen, look);
    await screen.act?.(shown.page);
    return shown;
  }

  const looks = consoleScreens.flatMap((screen) =>
    widths.flatMap((width) => themes.map((theme) => ({ ...screen, width, theme }))),
  );

  test.each(looks)("$name at $width px, $theme, has no serious fault and fits", async (look) => {
    const { width, theme } = look;
    await using shown = await open(look, { width, theme });
    const { page, problems } = shown;
    const file = `${look.name}-${width}-${theme}.png`;
    await page.screenshot({ path: join(screenshots, file), fullPage: true });
    expect(await violationsOf(page)).toEqual([]);
    const overflow = await page.evaluate<number>(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    expect(overflow).toBeLessThanOrEqual(0);
    expect(problems).toEqual([]);
  });

  const screenNamed = (name: string) =>
    consoleScreens.find((one) => one.name === name) as ConsoleScreen;

  test("filters are in the address, and a link with them shows the same requests", async () => {
    await using shown = await open(screenNamed("requests"));
    const { page } = shown;
    await page.getByLabel("Failed only").check();
    await page.getByLabel("Filter by").selectOption("model");
    await page.getByLabel("Value of the filter").fill("gpt-5");
    await page.keyboard.press("Enter");
    await page.getByText("Remove the filter Model").waitFor({ state: "attached" });
    expect(new URL(page.url()).search).toBe("?failed=1&model=gpt-5");
    const rows = await page.locator("tbody tr").allInnerTexts();
    await page.reload();
    await page.locator("tbody tr").first().waitFor();
    expect(await page.locator("tbody tr").allInnerTexts()).toEqual(rows);
    expect(rows.every((row) => row.includes("gpt-5") && !row.includes("Served"))).toBe(true);
  });

  test("an error code of the overview leads to its requests, and the filter can be removed", async () => {
    await using shown = await open(screenNamed("overview"));
    const { page } = shown;
    const link = page.getByRole("table", { name: "Error codes" }).getByRole("link").first();
    const code = await link.innerText();
    await link.click();
    await page.locator("tbody tr").first().waitFor();
    await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
    expect(new URL(page.url()).searchParams.get("error")).toBe(code);
    const rows = await page.locator("tbody tr").allInnerTexts();
    expect(rows.filter((row) => !row.includes(code))).toEqual([]);
    await page.getByRole("link", { name: "Remove the filter Error code" }).click();
    await expect.poll(() => page.locator("tbody").innerText()).toContain("Served");
  });

  test("the overview names the models whose usage no provider reports, with the fallback", async () => {
    await using shown = await open(screenNamed("overview"));
    const caption = "Models whose usage no provider reports";
    const rows = shown.page.getByRole("table", { name: caption }).locator("tbody tr");
    expect((await rows.allInnerTexts()).map((row) => row.split(/\s+/).slice(0, 2))).toEqual([
      ["scribe", "wall_clock"],
    ]);
    await rows.getByRole("link", { name: "scribe" }).click();
    await shown.page.getByRole("heading", { level: 1, name: "Models and prices" }).waitFor();
  });

  test("an account lists its open holds, that of a job with the job", async () => {
    await using shown = await open(screenNamed("account"));
    const { page } = shown;
    const rows = page.getByRole("table", { name: "Open holds" }).locator("tbody tr");
    const tab = page
      .getByRole("link", { name: "Open holds", exact: true })
      .and(page.locator(":visible"));
    await tab.click();
    await rows.first().waitFor();
    expect(await rows.first().innerText()).toMatch(/reader-print\s+job-[0-9a-f]{8}/);
  });

  test("the catalog says how many processes serve the newest revision, and who lags", async () => {
    await using shown = await open(screenNamed("catalog"));
    const rows = shown.page
      .getByRole("table", { name: "Processes that use the catalog" })
      .locator("tbody tr");
    const texts = await rows.allInnerTexts();
    const current = texts.filter((text) => text.includes("newest")).length;
    await shown.page.getByText(`${current} of ${texts.length} processes serve it`).waitFor();
    expect(texts.filter((text) => text.includes("lags"))).toHaveLength(texts.length - current);
    expect(current).toBeGreaterThan(0);
    expect(current).toBeLessThan(texts.length);
  });

  test("an account is created and topped up by the keyboard, to the last decimal", async () => {
    await using shown = await open(screenNamed("accounts"));
    const { page } = shown;
    await page.getByRole("button", { name: "Create account" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Name", { exact: true }).fill("Acme");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Acme" }).waitFor();
    await page.getByRole("button", { name: "Top up" }).click();
    await page.getByLabel("Amount in USD").fill("1e3");
    await page.getByRole("dialog").getByRole("button", { name: "Top up" }).click();
    expect(await page.getByRole("alert").innerText()).toContain("must be an amount in USD");
    await page.getByLabel("Amount in USD").fill("12.345678");
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Top up" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => page.locator(".stat-value").first().innerText()).toBe("$12.345678");
    expect(await page.locator("tbody").innerText()).toContain("+$12.345678");
  });

  test("a dialog begins at its first field, and Escape leads back to what opened it", async () => {
    await using shown = await open(screenNamed("account"));
    const { page } = shown;
    const focused = () => page.evaluate<string>("document.activeElement.outerHTML");
    await page.getByRole("button", { name: "Top up" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await expect.poll(focused).toContain('name="amount"');
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(focused).toContain("Top up");
    await page.getByRole("button", { name: /^More actions for/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Freeze…" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await expect.poll(focused).toContain("Cancel");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(focused).toContain("More actions for");
  });

  test("an address without a screen keeps the menu", async () => {
    await using shown = await open(screenNamed("not-found"));
    const menu = shown.page.getByRole("navigation", { name: "Screens" });
    await menu.getByRole("link", { name: "Requests" }).click();
    await shown.page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
  });

  test("times are those of the reader's zone, and the pointer shows UTC", async () => {
    await using shown = await open(screenNamed("requests"), {
      ...{ width: 1_440, timezoneId: "Asia/Tokyo" },
    });
    const time = shown.page.locator("tbody time").first();
    const at = new Date((await time.getAttribute("datetime")) ?? "");
    const inTokyo = new Date(at.getTime() + 9 * 3_600_000).toISOString().slice(0, 19);
    expect(await time.innerText()).toBe(inTokyo.replace("T", " "));
    expect(await time.getAttribute("title")).toContain(at.toISOString().slice(11, 23));
    expect(await shown.page.locator("thead").innerText()).toContain("Time (GMT+9)");
  });

  test("the text of a new key is shown once", async () => {
    await using shown = await open(screenNamed("keys"));
    const { page } = shown;
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("dialog").getByLabel("Account").fill("northwind");
    await page.getByRole("option", { name: /^Northwind/ }).click();
    await page.getByLabel("Name", { exact: true }).fill("one-off");
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    const text = await page.locator("[data-secret]").innerText();
    expect(text).toMatch(/^tg-/);
    await page.getByRole("button", { name: "Copy key" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(text);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("link", { name: "one-off" }).waitFor();
    expect(await page.content()).not.toContain(text);
  });

  test("a slot is tested, the models of its provider are listed, and its key is replaced", async () => {
    await using shown = await open(screenNamed("models"));
    const { page, problems } = shown;
    await page.getByRole("button", { name: "Test openai/gpt-5-2025-08-07", exact: true }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Test" }).click();
    await dialog.getByText("It serves: first byte after 318 ms").waitFor();
    expect(await dialog.innerText()).toContain("a client would pay $0.000187");
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Test deepseek/deepseek-chat", exact: true }).click();
    await dialog.getByRole("button", { name: "Test" }).click();
    await dialog.getByText("401: Incorrect API key provided.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Models of mistral" }).first().click();
    await dialog.getByText("mistral-ocr-latest").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Replace openai-main" }).click();
    await page.getByLabel("Key", { exact: true }).fill("sk-0123456789abcdefghij");
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Replace key" }).click();
    await page.getByText("sk-…ghij").waitFor();
    expect(await page.content()).not.toContain("0123456789abcdefghij");
    expect(problems).toEqual([]);
  });

  test("a viewer sees no buttons that change something, and a customer no other account", async () => {
    await using viewer = await open({ ...screenNamed("account"), role: "viewer" });
    expect(await viewer.page.locator("main button.button").allInnerTexts()).not.toContain("Top up");
    await using customer = await open(screenNamed("overview-customer"));
    const menu = customer.page.getByRole("navigation", { name: "Screens" });
    expect(await menu.getByRole("link").allInnerTexts()).toEqual([
      "Overview",
      "Keys",
      "Activity",
      "Requests",
      "Ledger",
    ]);
    await using own = await open(screenNamed("request-customer"));
    const steps = own.page.locator(".step h2");
    expect(await steps.allInnerTexts()).toEqual(["Hold", "Usage", "Price", "Ledger entry"]);
    expect(await own.page.locator(".usage-block").count()).toBe(0);
  });

  test("a member has the ledger of its account by its role, and a developer has none", async () => {
    await using admin = await open(screenNamed("ledger-admin"));
    const linksOf = (page: Page) =>
      page.locator("tbody a[href^='/requests/'], tbody a[href^='/keys/']");
    expect(await linksOf(admin.page).count()).toBeGreaterThan(0);
    const head = await admin.page.locator("thead").innerText();
    expect([head.includes("Account"), head.includes("Balance")]).toEqual([false, true]);
    await admin.page.getByLabel("Kind").selectOption("top_up");
    await expect.poll(() => admin.page.locator("tbody tr").count()).toBe(1);
    expect(await admin.page.locator("tbody").innerText()).toContain("+$500.00");
    await using billing = await open(screenNamed("ledger-billing"));
    expect(await billing.page.locator("tbody tr").count()).toBeGreaterThan(1);
    expect(await linksOf(billing.page).count()).toBe(0);
    expect(await billing.page.getByLabel("Key", { exact: true }).count()).toBe(0);
    await using developer = await open(screenNamed("overview-member"));
    const menu = developer.page.getByRole("navigation", { name: "Screens" });
    expect(await menu.getByRole("link").allInnerTexts()).not.toContain("Ledger");
  });

  test("codes are created, shown once and revoked", async () => {
    await using shown = await open(screenNamed("codes-created"));
    const { page } = shown;
    const text = await page.getByLabel("Codes", { exact: true }).inputValue();
    const codes = text.split("\n");
    expect([codes.length, new Set(codes).size]).toEqual([40, 40]);
    await press(page, "Copy codes");
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(`${text}\n`);
    const download = page.waitForEvent("download");
    await press(page, "Download");
    expect((await download).suggestedFilename()).toMatch(/^codes-.+\.txt$/);
    await press(page, "Done");
    const row = page.locator("tbody tr").filter({ hasText: "spring" });
    await row.getByText("0 of 40").waitFor();
    expect(await page.content()).not.toContain(codes[0]);
    await press(page, "Revoke spring");
    await press(page, "Revoke codes");
    await row.getByText("revoked").waitFor();
  });

  test("whoever is not signed in is led to the sign-in, and back by a link with a secret", async () => {
    await using shown = await open({ ...screenNamed("sign-in"), path: "/requests?failed=1" });
    const { page } = shown;
    expect(new URL(page.url()).pathname).toBe("/sign-in");
    const next = new URL(page.url()).search;
    await page.goto("about:blank");
    await page.goto(`${served.url}/sign-in${next}#secret`);
    await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
    expect(page.url()).toBe(`${served.url}/requests?failed=1`);
  });

  test("the chosen theme stays", async () => {
    await using shown = await open(screenNamed("overview"));
    const { page } = shown;
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    await page.getByRole("button", { name: /^Signed in as/ }).click();
    await page.getByRole("menuitemradio", { name: "Dark" }).click();
    expect(await ground()).not.toBe(light);
    const dark = await ground();
    await page.reload();
    expect(await ground()).toBe(dark);
  });
});
