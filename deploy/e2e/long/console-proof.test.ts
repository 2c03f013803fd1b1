import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@tollgate/local/free-port";
import { createSignInUrl } from "@tollgate/local/sign-in-url";
import OpenAI from "openai";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startBrowser } from "../src/browser.ts";
import { describeInBrowser } from "../src/describe-in-browser.ts";
import { eventually } from "../src/eventually.ts";
import { expectBalancedLedger } from "../src/ledger.ts";
import { nanoUsd, readShownUsd, shownUsd } from "../src/nano-usd.ts";
import { type OidcProviderUnderTest, oidcClient, startOidcProvider } from "../src/oidc-provider.ts";
import { collectProblems, overflowOf, screenshots, violationsOf } from "../src/page-checks.ts";
import { type OwnStack, startStack, testSecrets } from "../src/stack.ts";

const groups: Readonly<Record<string, string[]>> = { ada: ["admins"], bob: ["staff"] };
const widths = [1_280, 380] as const;

/** What a client knows of one request. */
interface Sent {
  id: string;
  model: string;
  /** As the response reports it. */
  cost: number;
}

describeInBrowser("the console over a running gateway", () => {
  let stack: OwnStack;
  let provider: OidcProviderUnderTest;
  let browser: Browser;
  let origin = "";

  beforeAll(async () => {
    const listen = `127.0.0.1:${await freePort()}`;
    origin = `http://${listen}`;
    const callback = `${origin}/sign-in/oidc/callback`;
    provider = await startOidcProvider(callback, (name) => groups[name] ?? []);
    stack = await startStack({
      TOLLGATE_CONSOLE_LISTEN: listen,
      TOLLGATE_CONSOLE_URL: origin,
      TOLLGATE_OIDC_ISSUER: provider.issuer,
      TOLLGATE_OIDC_CLIENT_ID: oidcClient.id,
      TOLLGATE_OIDC_CLIENT_SECRET: oidcClient.secret,
      TOLLGATE_OIDC_NAME: "Example",
      TOLLGATE_OIDC_ROLES: "admins=owner,staff=viewer",
    });
    browser = await startBrowser();
    await mkdir(screenshots, { recursive: true });
  });

  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
    await provider?.stop();
  });

  /** Opens a browser of its own, with an empty page. */
  async function newPage() {
    const context = await browser.newContext({
      viewport: { width: widths[0], height: 860 },
      colorScheme: "light",
      reducedMotion: "reduce",
    });
    await context.route(
      (url) => url.hostname !== "127.0.0.1",
      (route) => route.abort(),
    );
    const page = await context.newPage();
    const problems = collectProblems(page, origin);
    return { page, context, problems, [Symbol.asyncDispose]: () => context.close() };
  }

  /** Checks the screen that a page shows, at both widths, and stores screenshots of it. */
  async function look(page: Page, name: string): Promise<void> {
    await page.locator(".bone").first().waitFor({ state: "detached" });
    for (const width of widths) {
      await page.setViewportSize({ width, height: 860 });
      const file = `proof-${inject("shape")}-${name}-${width}.png`;
      await page.screenshot({ path: join(screenshots, file), fullPage: true });
      expect([name, width, await violationsOf(page)]).toEqual([name, width, []]);
      expect([name, width, await overflowOf(page)]).toEqual([name, width, 0]);
    }
    await page.setViewportSize({ width: widths[0], height: 860 });
  }

  const heading = (page: Page, name: string | RegExp) =>
    page.getByRole("heading", { level: 1, name }).waitFor();
  const menu = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name }).click();
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const dialogButton = (page: Page, name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true });
  const stat = (page: Page, name: string) =>
    page.locator(".stat").filter({ hasText: name }).locator(".stat-value");
  const step = (page: Page, name: string) =>
    page.locator(".step").filter({ has: page.getByRole("heading", { level: 2, name }) });

  async function signInByLink(page: Page): Promise<void> {
    const url = await createSignInUrl(stack.consoleUrl, stack.operatorAddress, testSecrets);
    await page.goto(url);
    await heading(page, "Overview");
    expect(page.url()).toBe(`${origin}/`);
  }

  async function signInByProvider(page: Page, name: string): Promise<void> {
    await page.goto(`${origin}/accounts`);
    await heading(page, "Sign in to Tollgate");
    await page.getByRole("link", { name: "Continue with Example" }).click();
    await page.locator("input[name=login]").fill(name);
    await page.locator("input[name=password]").fill("any");
    await page.locator("button[type=submit]").click();
    await page.waitForURL(/interaction\/(?!.*login)/);
    await page.locator("button[type=submit]").click();
    await page.waitForURL(`${origin}/accounts`);
    await heading(page, "Accounts");
  }

  async function createAccount(page: Page, name: string): Promise<void> {
    await button(page, "Create account").click();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await dialogButton(page, "Create account").click();
    await heading(page, name);
  }

  async function topUp(page: Page, usd: string, reference: string): Promise<void> {
    await button(page, "Top up").click();
    await page.getByLabel("Amount in USD").fill(usd);
    await page.getByLabel("Reference").fill(reference);
    await dialogButton(page, "Top up").click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }

  /** Creates a key of the account that is shown. Returns its text, which is shown once. */
  async function createKey(page: Page, name: string): Promise<string> {
    await button(page, "Key").click();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Budget in USD").fill("0.50");
    await dialogButton(page, "Create key").click();
    const text = await page.locator("[data-secret]").innerText();
    await dialogButton(page, "Done").click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(text);
    return text;
  }

  const clientOf = (apiKey: string) =>
    new OpenAI({ apiKey, baseURL: `${stack.url}/v1`, maxRetries: 0 });

  async function complete(client: OpenAI, model: string): Promise<Sent> {
    const { data, response } = await client.chat.completions
      .create({ model, messages: [{ role: "user", content: "Hello" }] })
      .withResponse();
    const { cost } = data.usage as unknown as { cost: number };
    return { id: response.headers.get("x-request-id") ?? "", model, cost };
  }

  async function stream(client: OpenAI, model: string): Promise<Sent> {
    const { data, response } = await client.chat.completions
      .create({ model, stream: true, messages: [{ role: "user", content: "Hello" }] })
      .withResponse();
    let cost = 0;
    for await (const { usage } of data) cost = (usage as { cost?: number } | null)?.cost ?? cost;
    return { id: response.headers.get("x-request-id") ?? "", model, cost };
  }

  /** Checks one request's page: every amount of it follows from the cost in the client's response. */
  async function expectRequestPage(page: Page, sent: Sent): Promise<void> {
    await heading(page, new RegExp(sent.id));
    expect(await stat(page, "Charged").innerText()).toBe(shownUsd(nanoUsd(sent.cost)));
    const held = readShownUsd(await step(page, "Hold").locator(".step-result").innerText());
    expect(held).toBeGreaterThanOrEqual(nanoUsd(sent.cost));
    const attempts = await step(page, "Attempts").locator("li").allInnerTexts();
    expect(attempts.at(-1)).toContain("served");
    expect(await step(page, "Usage").locator(".usage-block").innerText()).toContain(
      "prompt_tokens",
    );
    const amounts = await step(page, "Price").locator("tbody td:last-child").allInnerTexts();
    const sum = amounts.map(readShownUsd).reduce((total, amount) => total + amount, 0n);
    const lines = await step(page, "Price").locator(".sum-lines dd").allInnerTexts();
    const [exact, rounding = 0n, cost] = lines.map(readShownUsd);
    expect([exact, cost]).toEqual([sum, nanoUsd(sent.cost)]);
    expect(sum + rounding).toBe(nanoUsd(sent.cost));
    const entry = step(page, "Ledger entry");
    expect(await entry.locator(".step-result").innerText()).toBe(
      `−${shownUsd(nanoUsd(sent.cost))}`,
    );
    const released = await fact(entry.page(), "Released");
    expect(readShownUsd(released)).toBe(held - nanoUsd(sent.cost));
  }

  const fact = (page: Page, name: string) =>
    page
      .locator(".facts > div")
      .filter({ has: page.locator("dt", { hasText: name }) })
      .locator("dd")
      .innerText();

  test("shows the money of requests from a first top-up to a revoked key", async () => {
    await using opened = await newPage();
    const { page, problems } = opened;
    await signInByLink(page);
    await look(page, "overview-empty");
    const name = `Proof ${inject("shape")}`;
    await menu(page, "Accounts");
    await createAccount(page, name);
    await topUp(page, "10", "invoice-1");
    await expect.poll(() => stat(page, "Balance").innerText()).toBe("$10.00");
    const key = await createKey(page, "production");
    const client = clientOf(key);
    const sent = [await complete(client, "test-failover"), await stream(client, "test-small")];
    const spent = sent.reduce((sum, { cost }) => sum + nanoUsd(cost), 0n);
    expect(sent.every(({ cost }) => cost > 0)).toBe(true);

    await page.getByRole("main").getByRole("link", { name: "Requests", exact: true }).click();
    await heading(page, "Requests");
    await eventually(async () => {
      await page.reload();
      await page.locator("tbody tr").nth(1).waitFor({ timeout: 1_000 });
    });
    const rows = await page.locator("tbody tr").allInnerTexts();
    expect(rows).toHaveLength(2);
    for (const [index, { model, cost }] of sent.toReversed().entries()) {
      expect(rows[index]).toContain("Served");
      expect(rows[index]).toContain(model);
      expect(rows[index]).toContain(shownUsd(nanoUsd(cost)));
    }
    await look(page, "requests");
    await page.locator(".row-link").nth(1).click();
    const [failover, streamed] = sent as [Sent, Sent];
    await expectRequestPage(page, failover);
    const attempts = await step(page, "Attempts").locator("li").allInnerTexts();
    expect(attempts).toHaveLength(2);
    expect(attempts[0]).toContain("HTTP 503");
    await look(page, "request");
    await page.goto(`${origin}/requests/${streamed.id}`);
    await expectRequestPage(page, streamed);
    expect(await stat(page, "First token").innerText()).toMatch(/ms$/);

    await page.getByRole("link", { name }).click();
    await heading(page, name);
    await topUp(page, "2.50", "invoice-2");
    const balance = 12_500_000_000n - spent;
    await expect
      .poll(async () => readShownUsd(await stat(page, "Balance").innerText()))
      .toBe(balance);
    await page.locator("tbody tr").nth(3).waitFor();
    expect(await page.locator("tbody tr").first().innerText()).toContain("+$2.50");
    await look(page, "account");

    await page.getByRole("main").getByRole("link", { name: "Keys", exact: true }).click();
    await page.getByRole("link", { name: "production" }).click();
    await heading(page, "production");
    const budget = await page.locator(".limits").innerText();
    expect(readShownUsd(budget)).toBe(spent);
    await look(page, "key");
    await button(page, "Revoke").click();
    await dialogButton(page, "Revoke key").click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("heading", { level: 1, name: /Revoked/ }).waitFor();
    await expect(complete(client, "test-small")).rejects.toMatchObject({
      status: 403,
      code: "key_revoked",
      type: "permission_error",
    });
    await look(page, "key-revoked");
    await menu(page, "Overview");
    await heading(page, "Overview");
    await look(page, "overview");
    await menu(page, "Models");
    await heading(page, "Models and prices");
    await look(page, "models");
    await page.goto(`${origin}/settings?tab=audit`);
    await heading(page, "Settings");
    await look(page, "audit");
    const audit = (await page.locator("main").innerText()).replaceAll(" ", "").toLowerCase();
    for (const action of ["createaccount", "createkey", "topupwallet", "revokekey"])
      expect(audit).toContain(action);
    expect(audit).not.toContain(key.toLowerCase());
    expect(problems).toEqual([]);
    await expectBalancedLedger(stack);
  }, 180_000);

  test("an OpenID provider signs an owner in, who does the same, and a viewer, who changes nothing", async () => {
    await using opened = await newPage();
    const { page, problems } = opened;
    await signInByProvider(page, "ada");
    const name = `Acme ${inject("shape")}`;
    await createAccount(page, name);
    await topUp(page, "1", "invoice-1");
    const sent = await complete(clientOf(await createKey(page, "ada's key")), "test-small");
    await eventually(() => stack.operator.getRequest({ id: sent.id }));
    await page.goto(`${origin}/requests/${sent.id}`);
    await expectRequestPage(page, sent);
    await page.getByRole("button", { name: /^Signed in as ada@example.com/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await heading(page, "Sign in to Tollgate");
    await look(page, "sign-in");
    expect(problems).toEqual([]);

    await using other = await newPage();
    await signInByProvider(other.page, "bob");
    await other.page.getByRole("link", { name }).click();
    await heading(other.page, name);
    expect(await button(other.page, "Top up").count()).toBe(0);
    await other.page.goto(`${origin}/requests/${sent.id}`);
    await expectRequestPage(other.page, sent);
    expect(other.problems).toEqual([]);
  });

  test("asks for a sign-in again where a link was used before", async () => {
    await using opened = await newPage();
    const { page, context } = opened;
    const link = await createSignInUrl(origin, stack.operatorAddress, testSecrets);
    await page.goto(link);
    await heading(page, "Overview");
    await context.clearCookies();
    await page.goto("about:blank");
    await page.goto(link);
    expect(await page.getByRole("alert").innerText()).toContain("it works once");
    await heading(page, "Sign in to Tollgate");
  });
});
