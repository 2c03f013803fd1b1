import { createSignInUrl } from "@tollgate/local/sign-in-url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../src/browser.ts";
import { describeInBrowser } from "../src/describe-in-browser.ts";
import { eventually } from "../src/eventually.ts";
import { nanoUsd, shownUsd } from "../src/nano-usd.ts";
import { collectProblems } from "../src/page-checks.ts";
import { chatBody, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { testSecrets } from "../src/stack.ts";
import { transcriptionClient } from "../src/transcription-client.ts";

const { stack } = await sharedStack();

/** The whole of it is in `long/console-proof.test.ts`. */
describeInBrowser("the console's page", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });

  afterAll(() => browser?.close());

  test("opens by a sign-in link, and shows a balance, and a request from its hold to its ledger entry", async () => {
    const { accountId, key } = await stack.newAccount(3);
    const body = chatBody({ model: "test-small" });
    const response = await send(`${stack.url}/v1/chat/completions`, { key, body });
    const id = requestIdOf(response) ?? "";
    const { usage } = response.body as { usage: { cost: number } };
    const cost = nanoUsd(usage.cost);
    await eventually(async () => {
      expect((await stack.operator.getRequest({ id })).requests).toHaveLength(1);
    });
    const listener = transcriptionClient(stack, await stack.newAccount(1));
    const transcribed = await listener.transcribe({ model: "test-hear-measured" });
    await eventually(async () => {
      const of = { id: requestIdOf(transcribed) ?? "" };
      expect((await stack.operator.getRequest(of)).requests).toHaveLength(1);
    });
    const page = await browser.newPage();
    const problems = collectProblems(page);
    await page.goto(await createSignInUrl(stack.consoleUrl, stack.operatorAddress, testSecrets));
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    const unreported = page.getByRole("table", { name: "Models whose usage no provider reports" });
    const row = unreported.getByRole("row").filter({ hasText: "test-hear-measured" });
    expect(await row.innerText()).toMatch(/wav_header\s+\d/);
    await page.goto(`${stack.consoleUrl}/accounts/${accountId}`);
    expect(await page.locator(".stat-value").first().innerText()).toBe(
      shownUsd(3_000_000_000n - cost),
    );
    await page.goto(`${stack.consoleUrl}/requests/${id}`);
    await page.getByRole("heading", { level: 1, name: id }).waitFor();
    const steps = page.locator(".steps > li h3, .steps > li h2");
    await expect
      .poll(() => steps.allInnerTexts())
      .toEqual(["Hold", "Attempts", "Usage", "Price", "Ledger entry"]);
    const entry = page.locator(".step").last();
    expect(await entry.locator(".step-result").innerText()).toBe(`−${shownUsd(cost)}`);
    expect(problems).toEqual([]);
  });
});
