import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../src/browser.ts";
import { describeInBrowser } from "../src/describe-in-browser.ts";
import { violationsOf } from "../src/page-checks.ts";
import { type OwnStack, startStack } from "../src/stack.ts";

/** The page is large: a busy machine takes long to show it. */
const timeoutMs = 240_000;

describeInBrowser("the page of the API reference", () => {
  let stack: OwnStack;
  let browser: Browser;

  beforeAll(async () => {
    stack = await startStack();
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  test.each(["light", "dark"] as const)(
    "shows examples of responses and forms with enough contrast, %s",
    async (colorScheme) => {
      const page = await browser.newPage({ colorScheme });
      page.setDefaultTimeout(timeoutMs);
      await page.goto(`${stack.url}/docs`);
      const examples = [
        ["Create a chat completion", "You said: Hello"],
        ["Transcribe an audio file", "file=@speech.wav"],
      ] as const;
      for (const [summary, text] of examples) {
        await page.getByText(summary, { exact: true }).first().click();
        await page.getByText(text).first().waitFor();
      }
      const theme = await page.evaluate<string>("document.body.className");
      expect(theme).toContain(`${colorScheme}-mode`);
      const violations = await violationsOf(page);
      expect(violations.filter((one) => one.startsWith("color-contrast"))).toEqual([]);
    },
    timeoutMs,
  );
});
