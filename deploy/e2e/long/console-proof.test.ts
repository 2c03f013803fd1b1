import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@tollgate/local/free-port";
import { createSignInUrl } from "@tollgate/local/sign-in-url";
import OpenAI from "openai";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { browserPath, startBrowser } from "../src/browser.ts";
import { eventually } from "../src/eventually.ts";
import { expectBalancedLedger } from "../src/ledger.ts";
import { type OidcProviderUnderTest, oidcClient, startOidcProvider } from "../src/oidc-provider.ts";
import { collectProblems, screenshots, violationsOf } from "../src/page-checks.ts";
import { fleetSecret, type OwnStack, startStack } from "../src/stack.ts";

const noBrowser = browserPath === undefined;
if (noBrowser) process.stderr.write("No Chromium on the PATH: the console is not tested in one.\n");

describe.skipIf(noBrowser)("the console of a running gateway", () => {
  let stack: OwnStack;
  let provider: OidcProviderUnderTest;
  let browser: Browser;
  let origin = "";

  beforeAll(async () => {
    const listen = `127.0.0.1:${await freePort()}`;
    origin = `http://${listen}`;
    provider = await startOidcProvider(`${origin}/sign-in/oidc/callback`, () => ["staff"]);
    stack = await startStack({
      TOLLGATE_CONSOLE_LISTEN: listen,
      TOLLGATE_CONSOLE_URL: origin,
      TOLLGATE_OIDC_ISSUER: provider.issuer,
      TOLLGATE_OIDC_CLIENT_ID: oidcClient.id,
      TOLLGATE_OIDC_CLIENT_SECRET: oidcClient.secret,
      TOLLGATE_OIDC_NAME: "Example",
      TOLLGATE_OIDC_ROLES: "staff=viewer",
    });
    browser = await startBrowser();
    await mkdir(screenshots, { recursive: true });
  });

  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
    await provider?.stop();
  });

  const heading = (page: Page, name: string | RegExp) =>
    page.getByRole("heading", { level: 1, name }).waitFor();

  /** Waits until a screen shows its data, checks it and keeps a picture of it. */
  async function look(page: Page, name: string, title: string | RegExp) {
    await heading(page, title);
    await page.locator(".bone").first().waitFor({ state: "detached" });
    expect(await violationsOf(page)).toEqual([]);
    const file = `proof-${inject("shape")}-${name}.png`;
    await page.screenshot({ path: join(screenshots, file), fullPage: true });
  }

  async function signInByLink() {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 860 } });
    const problems = collectProblems(page);
    await page.goto(await createSignInUrl(origin, stack.operatorAddress, fleetSecret));
    await heading(page, "Overview");
    expect(page.url()).toBe(`${origin}/`);
    return { page, problems };
  }

  test("follows an account from its creation over its requests to a key that is revoked", async () => {
    const { page, problems } = await signInByLink();
    await look(page, "overview-empty", "Overview");

    await page.getByRole("link", { name: "Accounts" }).click();
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Acme");
    await page.getByLabel("Opening credit in USD").fill("2");
    await page.getByRole("dialog").getByRole("button", { name: "Create account" }).click();
    await heading(page, "Acme");

    await page.getByRole("button", { name: "Key", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("production");
    await page.getByLabel("Budget in USD").fill("1.5");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    const apiKey = await page.locator("[data-secret]").innerText();
    await page.getByRole("button", { name: "Done" }).click();

    const client = new OpenAI({ apiKey, baseURL: `${stack.url}/v1`, maxRetries: 0 });
    const messages = [{ role: "user", content: "Hello" }] as const;
    const body = { model: "test-failover", messages: [...messages] };
    const { data, response } = await client.chat.completions.create(body).withResponse();
    const id = response.headers.get("x-request-id") ?? "";
    const { cost } = data.usage as OpenAI.CompletionUsage & { cost: number };
    const streamed = await client.chat.completions.create({ ...body, stream: true });
    for await (const _chunk of streamed);
    await eventually(async () => {
      expect((await stack.operator.listRequests({ account: "Acme" })).requests).toHaveLength(2);
    });

    await page.getByRole("link", { name: "Requests", exact: true }).first().click();
    await look(page, "requests", "Requests");
    const rows = page.locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.first().innerText()).toContain("Served");

    await page.goto(`${origin}/requests/${id}`);
    await look(page, "request", new RegExp(id));
    const text = await page.locator("main").innerText();
    const shownCost = `$${cost.toFixed(6).replace(/0+$/, "")}`;
    for (const part of ["Hold", "sim", "rejected", "503", "prompt_tokens", "Price", "Ledger entry"])
      expect(text).toContain(part);
    expect(await page.locator(".sum-lines .total").innerText()).toContain(shownCost);
    const { requests } = await stack.operator.getRequest({ id });
    expect(text).toContain(requests[0]?.entryId);
    expect(Number(requests[0]?.chargedNanoUsd) / 1e9).toBeCloseTo(cost, 6);

    await page.getByRole("link", { name: "Accounts", exact: true }).click();
    await page.getByRole("link", { name: "Acme" }).click();
    await page.getByRole("button", { name: "Top up" }).click();
    await page.getByLabel("Amount in USD").fill("10");
    await page.getByRole("dialog").getByRole("button", { name: "Top up" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const { wallet } = await stack.operator.readWallet({ account: "Acme" });
    const balance = Number(wallet?.balanceNanoUsd ?? 0n) / 1e9;
    expect(balance).toBeGreaterThan(11.9);
    const shown = page.locator(".stat-value").first();
    await expect
      .poll(async () => Number((await shown.innerText()).slice(1)))
      .toBeCloseTo(balance, 6);
    await look(page, "account", "Acme");

    await page.locator("main").getByRole("link", { name: "Keys" }).click();
    await page.getByRole("link", { name: "production" }).click();
    await look(page, "key", "production");
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
    await page.locator("main").getByText("Revoked", { exact: true }).first().waitFor();
    await eventually(async () => {
      const refused = await client.chat.completions.create(body).catch((error) => error);
      expect(refused).toMatchObject({ status: 403, code: "key_revoked" });
    });

    await page.getByRole("link", { name: "Overview" }).click();
    await look(page, "overview", "Overview");
    await page.getByRole("link", { name: "Models" }).click();
    await look(page, "models", "Models and prices");
    await page.goto(`${origin}/settings?tab=audit`);
    await look(page, "audit", "Settings");
    const audit = await page.locator("main").innerText();
    for (const action of ["CreateAccount", "CreateKey", "TopUpWallet", "RevokeKey"])
      expect(audit.replaceAll(" ", "").toLowerCase()).toContain(action.toLowerCase());
    expect(audit).not.toContain(apiKey);
    expect(problems).toEqual([]);
    await expectBalancedLedger(stack);
    await page.close();
  });

  test("lets an operator in by an OpenID provider, who sees what its role may see", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${origin}/accounts`);
    await heading(page, "Sign in to Tollgate");
    await page.getByRole("link", { name: "Continue with Example" }).click();
    await page.locator("input[name=login]").fill("ada");
    await page.locator("input[name=password]").fill("any");
    await page.locator("button[type=submit]").click();
    await page.locator("button[type=submit]").click();
    await heading(page, "Accounts");
    // The pages of the provider have problems of their own.
    const problems = collectProblems(page);
    await page.reload();
    await look(page, "accounts-viewer", "Accounts");
    expect(problems).toEqual([]);
    expect(await page.getByRole("button", { name: "Create account" }).count()).toBe(0);
    await context.close();
  });

  test("asks for a sign-in again where a link was used before", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const link = await createSignInUrl(origin, stack.operatorAddress, fleetSecret);
    await page.goto(link);
    await heading(page, "Overview");
    await context.clearCookies();
    await page.goto("about:blank");
    await page.goto(link);
    expect(await page.getByRole("alert").innerText()).toContain("it works once");
    await heading(page, "Sign in to Tollgate");
    await context.close();
  });
});
