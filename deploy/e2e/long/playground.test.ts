import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createSignInUrl } from "@tollgate/local/sign-in-url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../src/browser.ts";
import { describeInBrowser } from "../src/describe-in-browser.ts";
import { eventually } from "../src/eventually.ts";
import { readWalletRow } from "../src/ledger.ts";
import { collectProblems, overflowOf, screenshots, violationsOf } from "../src/page-checks.ts";
import { type OwnStack, startStack, testSecrets } from "../src/stack.ts";

const widths = [1_440, 1_024, 380] as const;

describeInBrowser("the playground", () => {
  let stack: OwnStack;
  let browser: Browser;

  beforeAll(async () => {
    stack = await startStack();
    browser = await startBrowser();
    await mkdir(screenshots, { recursive: true });
  });

  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  test("chats with two models side by side, each with the cost that the ledger charged", async () => {
    const account = await stack.newAccount(1);
    const context = await browser.newContext({ viewport: { width: 1_440, height: 860 } });
    const page = await context.newPage();
    const problems = collectProblems(page, stack.consoleUrl);
    await page.goto(await createSignInUrl(stack.consoleUrl, stack.operatorAddress, testSecrets));
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.goto(`${stack.consoleUrl}/playground?account=${account.accountId}`);
    await page.getByLabel("Model").first().selectOption("test-small");
    await page.getByRole("button", { name: "Add a model" }).click();
    await page.getByLabel("Model").nth(1).selectOption("test-vision");
    await page.getByRole("textbox", { name: "Message" }).fill("Hello from the playground");
    await page.keyboard.press("Enter");
    const costs = page.locator("[data-cost]");
    await costs.nth(1).waitFor();
    const answers = await page.locator(".answer").allInnerTexts();
    expect(answers).toEqual([expect.stringContaining("Hello"), expect.stringContaining("Hello")]);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 860 });
      await page.screenshot({ path: join(screenshots, `playground-answers-${width}.png`) });
      expect([width, await violationsOf(page), await overflowOf(page)]).toEqual([width, [], 0]);
    }
    const shown = (await costs.allInnerTexts()).map((text) => Number(text.replace("$", "")));
    await eventually(async () => {
      const { entries } = await readWalletRow(stack, account);
      const charged = entries.filter(({ kind }) => kind === "usage").map(({ amount }) => amount);
      const micro = charged.map((amount) => Number(-amount) / 1e9);
      expect(micro.toSorted()).toEqual(shown.toSorted());
    });
    expect(problems).toEqual([]);
    await context.close();
  });
});
