import { randomUUID } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@tollgate/local/free-port";
import { createSignInUrl } from "@tollgate/local/sign-in-url";
import {
  type StandInIntent,
  type StripeStandIn,
  signStripeEvent,
  startStripeStandIn,
  stripeEvent,
} from "@tollgate/simulator/stripe-stand-in";
import OpenAI from "openai";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../src/browser.ts";
import { describeInBrowser } from "../src/describe-in-browser.ts";
import { eventually } from "../src/eventually.ts";
import { allEntries, expectBalancedLedger } from "../src/ledger.ts";
import { startMailStack } from "../src/mail-stack.ts";
import { memberPassword } from "../src/members.ts";
import { nanoUsd, readShownUsd } from "../src/nano-usd.ts";
import { collectProblems, overflowOf, screenshots, violationsOf } from "../src/page-checks.ts";
import { shiftedClock } from "../src/shifted-clock.ts";
import type { SmtpServerUnderTest } from "../src/smtp-server.ts";
import { type OwnStack, testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const usd = 1_000_000_000n;
const webhookSecret = "whsec_journey";
/** Billing checks the rules of warnings every minute, and balances every half minute. */
const patient = { timeout: 120_000, interval: 250 };
const widths = [1_440, 1_024, 380] as const;

describeInBrowser("a customer, from sign-up to statement", () => {
  let stack: OwnStack;
  let smtp: SmtpServerUnderTest;
  let stop: (() => Promise<void>) | undefined;
  let stripe: StripeStandIn;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    stripe = await startStripeStandIn();
    ({ stack, smtp, origin, stop } = await startMailStack({
      TOLLGATE_SIGNUP: "open",
      TOLLGATE_SIGNUP_CREDIT: "2.5",
      TOLLGATE_SIGNUP_CARD: "on",
      TOLLGATE_STRIPE_KEY: "sk_test_stand_in",
      TOLLGATE_STRIPE_WEBHOOK_SECRET: webhookSecret,
      TOLLGATE_STRIPE_URL: stripe.url,
      TOLLGATE_TOP_UPS: "25,50",
      TOLLGATE_STATEMENT_ISSUER: "Gateway GmbH\\nBerlin\\nDE123",
    }));
    browser = await startBrowser();
    await mkdir(screenshots, { recursive: true });
  });

  afterAll(async () => {
    await browser?.close();
    await stop?.();
    await stripe?.close();
  });

  /** Opens a page with cookies of its own. A stand-in replaces the pages of Stripe. */
  async function newPage() {
    const context = await browser.newContext({ viewport: { width: 1_440, height: 860 } });
    // A busy machine is slow.
    context.setDefaultTimeout(patient.timeout);
    await context.route(
      (url) => url.hostname.endsWith(".test"),
      (route) => route.fulfill({ contentType: "text/html", body: "<h1>Stripe</h1>" }),
    );
    const page = await context.newPage();
    const problems = collectProblems(page, origin);
    return { page, problems, [Symbol.asyncDispose]: () => context.close() };
  }

  const heading = (page: Page, name: string | RegExp) =>
    page.getByRole("heading", { level: 1, name }).waitFor();
  const menu = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name }).click();
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const dialog = (page: Page) => page.getByRole("dialog");
  const submit = async (page: Page, name: string) => {
    await dialog(page).getByRole("button", { name, exact: true }).click();
    await dialog(page).waitFor({ state: "detached" });
  };

  /** Checks the screen that a page shows, at all widths, and stores screenshots of it. */
  async function look(page: Page, name: string): Promise<void> {
    await page.locator(".bone").first().waitFor({ state: "detached" });
    for (const width of widths) {
      await page.setViewportSize({ width, height: 860 });
      await page.screenshot({ path: join(screenshots, `journey-${name}-${width}.png`) });
      expect([name, width, await violationsOf(page), await overflowOf(page)]).toEqual([
        ...[name, width, [], 0],
      ]);
    }
    await page.setViewportSize({ width: 1_440, height: 860 });
  }

  /** Delivers an event of Stripe, signed, twice. */
  async function deliver(type: string, object: object): Promise<void> {
    const body = stripeEvent(type, object);
    for (let delivery = 0; delivery < 2; delivery += 1) {
      const headers = {
        "stripe-signature": signStripeEvent(body, webhookSecret),
        "content-type": "application/json",
      };
      const response = await fetch(`${origin}/webhooks/stripe`, { method: "POST", headers, body });
      expect([response.status, await response.text()]).toEqual([200, expect.anything()]);
    }
  }

  /** Signs up, and opens the link of the mail. */
  async function signUp(page: Page, email: string, accountName: string): Promise<void> {
    await page.goto(`${origin}/sign-up`);
    await heading(page, "Sign up");
    await page.getByLabel("E-mail address").fill(email);
    await page.getByLabel("Name of the account").fill(accountName);
    await button(page, "Sign up").click();
    await heading(page, "Check your mail");
    await page.goto(`${origin}/sign-up#${await smtp.secretTo(email, "/sign-up")}`);
    await heading(page, "Confirm your address");
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("Password").fill(memberPassword);
    await button(page, "Confirm").click();
    await heading(page, "Overview");
  }

  /** Opens a page of Stripe by a button, does there what `then` does, and returns from it. */
  async function visitStripe(page: Page, leave: () => Promise<void>, then: () => unknown) {
    await leave();
    await page.getByRole("heading", { name: "Stripe" }).waitFor();
    await then();
    const { form } = stripe.sent.at(-1) ?? {};
    await page.goto(form?.success_url ?? "");
    await heading(page, "Payments");
  }

  /** Pays 25 USD on the page of Stripe, and delivers the event of the payment. */
  async function topUp(page: Page): Promise<StandInIntent> {
    await menu(page, "Payments");
    await button(page, "Top up by card").click();
    await dialog(page).getByLabel("Amount").selectOption({ label: "$25.00" });
    let intent: StandInIntent | undefined;
    await visitStripe(
      page,
      () => dialog(page).getByRole("button", { name: "Go to Stripe" }).click(),
      async () => {
        const sent = stripe.sent.findLast(({ form }) => form.mode === "payment");
        intent = stripe.pay(sent?.idempotencyKey ?? "", 2_500);
        await deliver("payment_intent.succeeded", intent);
      },
    );
    const row = page.getByRole("table", { name: "Payments" }).getByRole("row").nth(1);
    expect(await row.innerText()).toContain("credited");
    return intent as StandInIntent;
  }

  /** Saves a card, which pays the start credit, and lets it pay top-ups. */
  async function saveCard(page: Page, account: string): Promise<void> {
    await page.getByText("A start credit of $2.50 is paid once a card is saved.").waitFor();
    await visitStripe(
      page,
      () => button(page, "Save a card").click(),
      async () => {
        const { customer } = stripe.saveCard(account);
        const session = { object: "checkout.session", mode: "setup", customer };
        await deliver("checkout.session.completed", session);
      },
    );
    await button(page, "Change top-ups").click();
    await dialog(page).getByLabel("When the balance is below, USD").fill("27.499");
    await dialog(page).getByLabel("Amount").selectOption({ label: "$50.00" });
    await dialog(page).getByLabel("At most in a month (UTC), USD").fill("100");
    await submit(page, "Save");
    await page.getByText("visa 4242, expires 04/2031").waitFor();
  }

  async function setWarning(page: Page, email: string): Promise<void> {
    await page.goto(`${origin}/warnings`);
    await button(page, "Change rules").click();
    await dialog(page).getByLabel("Budget spent, percent").fill("80");
    await submit(page, "Save rules");
    await button(page, "Add a channel").click();
    await dialog(page).getByLabel("Target").fill(email);
    await dialog(page).getByRole("button", { name: "Add", exact: true }).click();
    await submit(page, "Done");
  }

  /** Creates a key whose budget is 0.003 USD a month. Returns its text. */
  async function createKey(page: Page): Promise<string> {
    await menu(page, "Keys");
    await button(page, "Create key").click();
    await dialog(page).getByLabel("Name", { exact: true }).fill("production");
    await dialog(page).getByLabel("Budget in USD", { exact: true }).fill("0.003");
    await dialog(page).getByRole("button", { name: "Create key" }).click();
    const text = await page.locator("[data-secret]").innerText();
    await submit(page, "Done");
    return text;
  }

  /** Makes a request with the `openai` package that costs more than four fifths of the budget. */
  async function request(apiKey: string) {
    const client = new OpenAI({ apiKey, baseURL: `${stack.url}/v1`, maxRetries: 0 });
    const { data, response } = await client.chat.completions
      .create({
        model: "test-small",
        messages: [{ role: "user", content: "Hello" }],
        metadata: { simulate: "usage=7,4096" },
      })
      .withResponse();
    const { cost } = data.usage as unknown as { cost: number };
    return { id: response.headers.get("x-request-id") ?? "", cost: nanoUsd(cost) };
  }

  /** Refunds 0.001 USD of a request, as an operator does. */
  async function refundRequest(id: string): Promise<void> {
    await using opened = await newPage();
    const { page, problems } = opened;
    await page.goto(await createSignInUrl(origin, stack.operatorAddress, testSecrets));
    await heading(page, "Overview");
    await page.goto(`${origin}/requests/${id}`);
    await button(page, "Refund").click();
    await dialog(page).getByLabel("Amount in USD").fill("0.001");
    await dialog(page).getByLabel("Reason").fill("Cut off");
    await submit(page, "Refund");
    expect(problems).toEqual([]);
  }

  const walletOf = async (account: string) =>
    (await stack.operator.readWallet({ account })).wallet?.balanceNanoUsd;

  /** Issues the statements of this month, by a replica whose clock is an hour after its end. */
  async function issueStatements(): Promise<void> {
    const now = new Date();
    const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 2);
    const listen = `127.0.0.1:${await freePort()}`;
    const replica = await stack.addReplica({
      ...shiftedClock(end - now.getTime()),
      TOLLGATE_LISTEN: listen,
      TOLLGATE_CONSOLE_LISTEN: "",
    });
    const { stdout } = await runTollgate(listen, testSecrets, ["statement", "issue"]);
    await replica.stop();
    expect(stdout).toBe("issued 1\n");
  }

  /** Saves a file of the screen. Resolves with its name and its content. */
  async function download(page: Page, name: string) {
    const [file] = await Promise.all([page.waitForEvent("download"), button(page, name).click()]);
    return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
  }

  test("signs up, pays, calls, is warned, topped up and refunded, and gets an exact statement", async () => {
    await using opened = await newPage();
    const { page, problems } = opened;
    const accountName = `journey ${randomUUID()}`;
    const email = `${randomUUID()}@${randomUUID()}.example`;

    await signUp(page, email, accountName);
    const { account: summary } = await stack.operator.getAccount({ account: accountName });
    const account = summary?.account?.id ?? "";
    expect(await walletOf(account)).toBe(0n);
    const intent = await topUp(page);
    expect(await walletOf(account)).toBe(25n * usd);
    await saveCard(page, account);
    expect(await walletOf(account)).toBe((55n * usd) / 2n);
    await setWarning(page, email);
    const { id, cost } = await request(await createKey(page));
    expect(cost).toBeGreaterThan((usd * 24n) / 10_000n);

    await eventually(() => {
      const warned = smtp.received.filter(({ to, content }) => {
        return to === email && /80 % of the budget of the key production/.test(content);
      });
      expect(warned).toHaveLength(1);
    }, patient);
    await eventually(async () => {
      const paid = [...stripe.intents.values()].filter(({ customer }) => customer !== null);
      expect(paid).toHaveLength(1);
    }, patient);
    const automatic = [...stripe.intents.values()].find(({ customer }) => customer !== null);
    await deliver("payment_intent.succeeded", automatic as StandInIntent);
    expect(await walletOf(account)).toBe((155n * usd) / 2n - cost);

    await refundRequest(id);
    stripe.refund(intent, 500);
    const refunded = { object: "charge", payment_intent: intent.id, amount_refunded: 500 };
    await deliver("charge.refunded", refunded);
    const refundsNanoUsd = usd / 1_000n - 5n * usd;
    const closing = (155n * usd) / 2n - cost + refundsNanoUsd;
    expect(await walletOf(account)).toBe(closing);

    await issueStatements();
    await menu(page, "Payments");
    await look(page, "payments");
    await page.getByRole("link", { name: "Statements" }).click();
    await heading(page, "Statements");
    await button(page, "Address on statements").click();
    await dialog(page).getByLabel("Name").fill("Acme Ltd");
    await dialog(page).getByLabel("Address").fill("1 High Street\nLondon");
    await submit(page, "Save");
    await look(page, "statements");
    await page.getByRole("table", { name: "Statements" }).getByRole("link").click();
    await heading(page, "Statement 1");
    await look(page, "statement");
    const sums = await page
      .getByRole("table", { name: "Sums" })
      .locator("tbody td:last-child")
      .allInnerTexts();
    const shown = sums.map((text) => (/^[-−]/.test(text) ? -1n : 1n) * readShownUsd(text));
    const expected = [0n, (155n * usd) / 2n, -cost, refundsNanoUsd, 0n, closing];
    expect(shown).toEqual(expected);
    const entries = await allEntries(stack, account);
    expect(entries.reduce((sum, { amountNanoUsd }) => sum + amountNanoUsd, 0n)).toBe(closing);
    const pdf = await download(page, "Save statement 1 as PDF");
    expect(pdf.name).toBe("statement-1.pdf");
    expect(pdf.content.subarray(0, 5).toString()).toBe("%PDF-");
    expect(pdf.content.subarray(-8).toString()).toContain("%%EOF");
    const csv = (await download(page, "Save statement 1 as CSV")).content.toString();
    const amounts = csv
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",").at(-1) ?? "");
    const micro = amounts.map((text) => BigInt(Math.round(Number(text) * 1e6)) * 1_000n);
    expect(micro.at(-1)).toBe(closing);
    expect(micro.slice(0, -1).reduce((sum, one) => sum + one, 0n)).toBe(closing);
    expect(problems).toEqual([]);

    await expectBalancedLedger(stack);
    const args = ["ledger", "verify"];
    const verified = await runTollgate(stack.operatorAddress, testSecrets, args);
    expect([verified.code, verified.stdout]).toEqual([0, expect.not.stringContaining("DISCREP")]);
    const { stdout, code } = await runTollgate(stack.operatorAddress, testSecrets, [
      ...["payments", "verify"],
    ]);
    expect([code, stdout]).toEqual([0, expect.anything()]);
  }, 900_000);
});
