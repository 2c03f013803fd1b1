import { randomUUID } from "node:crypto";
import { createSignInUrl } from "@tollgate/local/sign-in-url";
import { BudgetPeriod } from "@tollgate/proto/tollgate/v1/limits";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../src/browser.ts";
import { describeInBrowser } from "../src/describe-in-browser.ts";
import { eventually } from "../src/eventually.ts";
import { ocrClient } from "../src/ocr-client.ts";
import { modelField, pdf } from "../src/ocr-form.ts";
import { chatBody, requestIdOf, send } from "../src/request.ts";
import { type OwnStack, startStack, type TestAccount, testSecrets } from "../src/stack.ts";

/** So many failures in a row take a slot out. */
const failuresToOpen = 5;
const mostClicks = 3;

/** The questions of docs/support.md, each from the overview. Enter counts as a click. */
describeInBrowser("the console answers, in three clicks or fewer,", () => {
  let stack: OwnStack;
  let browser: Browser;
  let page: Page;
  let chatUrl = "";
  let rich: TestAccount;
  const mine = `order-${randomUUID()}`;
  let responseId = "";
  let clicks = 0;

  beforeAll(async () => {
    stack = await startStack();
    chatUrl = `${stack.url}/v1/chat/completions`;
    rich = await stack.newAccount(1);
    const headers = { "x-client-request-id": mine };
    const body = chatBody({ model: "test-failover" });
    const served = await send(chatUrl, { key: rich.key, headers, body });
    responseId = (served.body as { id: string }).id;
    await eventually(() => stack.operator.getRequest({ id: responseId }));
    browser = await startBrowser();
    page = await browser.newPage({ viewport: { width: 1_440, height: 860 } });
    await page.goto(await createSignInUrl(stack.consoleUrl, stack.operatorAddress, testSecrets));
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  async function begin(): Promise<void> {
    clicks = 0;
    await page.goto(stack.consoleUrl);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.getByRole("heading", { level: 2, name: "Providers" }).waitFor();
  }

  async function click(target: Locator): Promise<void> {
    clicks += 1;
    await target.click();
  }

  const screen = (name: string) =>
    click(page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name }));
  const row = (text: string | RegExp) =>
    click(page.locator("tbody tr").filter({ hasText: text }).first().locator(".row-link"));

  async function findRequest(id: string): Promise<void> {
    await screen("Requests");
    await page.getByLabel("Any id of a request").fill(id);
    clicks += 1;
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: /req_/ }).waitFor();
  }

  /** Waits until the screen says `text`, and checks how many clicks that took. */
  async function expectAnswer(text: RegExp): Promise<void> {
    await eventually(async () => expect(await page.locator("main").innerText()).toMatch(text));
    expect(clicks).toBeLessThanOrEqual(mostClicks);
  }

  test("what the response of an id cost", async () => {
    await begin();
    await findRequest(responseId);
    await expectAnswer(/Charged\s+\$0\.0000\d+[\s\S]*Quantity × price/);
  });

  test("why a client got a 400, with its id and without it", async () => {
    const refused = await send(chatUrl, { key: rich.key, body: "{" });
    const id = requestIdOf(refused) ?? "";
    await eventually(() => stack.operator.getRequest({ id }));
    await begin();
    await findRequest(id);
    await expectAnswer(/400 invalid_json/);
    await begin();
    await screen("Requests");
    await click(page.getByRole("link", { name: "Refused requests" }));
    await row("400 invalid_json");
    await expectAnswer(new RegExp(id));
  });

  test("which provider failed and what it said, and the id by which the vendor finds the call", async () => {
    await begin();
    await findRequest(responseId);
    await expectAnswer(/HTTP 503[\s\S]*the provider responded with 503[\s\S]*sim_/);
  });

  test("which request is that of a client's own id, with its tokens and its cost", async () => {
    await begin();
    await findRequest(mine);
    await expectAnswer(/Charged\s+\$0\.0000\d+[\s\S]*Tokens\s+\d+ in \d+ out/);
    expect(await page.locator("main").innerText()).toContain(mine);
  });

  test("which slot fails most, and why one was not called", async () => {
    const body = chatBody({ model: "test-breaker" });
    for (let count = 0; count <= failuresToOpen; count += 1) {
      await send(chatUrl, { key: rich.key, body });
    }
    await eventually(async () => {
      await begin();
      await page.getByRole("link", { name: /slots? (is|are) out: sim\/broken-chat/ }).waitFor({
        timeout: 2_000,
      });
    });
    await expectAnswer(/Providers[\s\S]*sim/);
    await click(page.getByRole("link", { name: /out: sim\/broken-chat/ }));
    await expectAnswer(/broken-chat[\s\S]*failed/);
    await begin();
    await screen("Requests");
    await row("test-breaker");
    await expectAnswer(/Not called: sim\/broken-chat\S* \(its calls have failed\)/);
  });

  test("what a key's budget is used up by", async () => {
    const limits = { budget: { amountNanoUsd: 1_000_000_000n, period: BudgetPeriod.MONTH } };
    const name = `spender ${randomUUID().slice(0, 8)}`;
    await stack.operator.createKey({ account: rich.accountId, name, limits });
    await begin();
    await screen("Keys");
    await row(name);
    await expectAnswer(/Budget a month\s+\$0\.00\S* of \$1\.00/);
  });

  test("why there is a 402 although there is money", async () => {
    const held = await stack.newAccount(1);
    const job = await ocrClient(stack, held).createJob([pdf(3), modelField("test-read")], held.key);
    expect(job.status).toBe(202);
    await begin();
    await screen("Accounts");
    await click(page.locator(`a[href$="${held.accountId}"]`));
    await click(page.getByRole("link", { name: "Open holds", exact: true }));
    await expectAnswer(/Held\s+\$0\.0[\s\S]*test-read/);
  });

  test("which requests are not charged, and why", async () => {
    const failed = await send(chatUrl, {
      key: rich.key,
      body: chatBody({ model: "test-failing" }),
    });
    const id = requestIdOf(failed) ?? "";
    await eventually(() => stack.operator.getRequest({ id }));
    await begin();
    await screen("Requests");
    await click(page.getByLabel("Failed only"));
    await row("test-failing");
    await expectAnswer(/Charged\s+\$0\.00[\s\S]*a failed request is not charged/);
  });
});
