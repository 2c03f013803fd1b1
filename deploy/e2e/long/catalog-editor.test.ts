import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createSignInUrl } from "@tollgate/local/sign-in-url";
import OpenAI from "openai";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { startBrowser } from "../src/browser.ts";
import { describeInBrowser } from "../src/describe-in-browser.ts";
import { startEmptyGateway } from "../src/empty-gateway.ts";
import { eventually } from "../src/eventually.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { collectProblems, overflowOf, screenshots, violationsOf } from "../src/page-checks.ts";
import { type OwnStack, testSecrets } from "../src/stack.ts";

const widths = [1_440, 1_024, 380] as const;
const maxMs = 120_000;

describeInBrowser("the editor of the catalog over a running gateway", () => {
  let stack: OwnStack;
  let browser: Browser;
  let origin = "";

  beforeAll(async () => {
    ({ stack, origin } = await startEmptyGateway());
    // A draft reaches a private address only where the catalog in use has a provider there.
    const text = `providers:
  local: { base_url: "${stack.simulator.url}/v1", api_key_env: TEST_PROVIDER_KEY }
models: []
`;
    await stack.operator.publishCatalog({ text, reason: "the first" }, { timeoutMs: 60_000 });
    browser = await startBrowser();
    await mkdir(screenshots, { recursive: true });
  });

  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  /** Opens a browser of its own, in which an owner is signed in. */
  async function signIn() {
    const context = await browser.newContext({
      viewport: { width: widths[0], height: 900 },
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    const problems = collectProblems(page, origin);
    await page.goto(await createSignInUrl(origin, stack.operatorAddress, testSecrets));
    await heading(page, "Overview");
    return { page, problems, [Symbol.asyncDispose]: () => context.close() };
  }

  const heading = (page: Page, name: string | RegExp) =>
    page.getByRole("heading", { level: 1, name }).waitFor();
  const button = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).and(page.locator(":visible"));
  const yamlOf = (page: Page) => page.getByLabel("YAML of the draft");

  /** Checks a page at all widths, light and dark, and stores screenshots of it. */
  async function look(page: Page, name: string): Promise<void> {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const file = `editor-${inject("shape")}-${name}-${width}-${colorScheme}.png`;
        await page.screenshot({ path: join(screenshots, file) });
        expect([name, width, colorScheme, await violationsOf(page)]).toEqual([
          ...[name, width, colorScheme],
          [],
        ]);
      }
      expect([name, width, await overflowOf(page)]).toEqual([name, width, 0]);
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: widths[0], height: 900 });
  }

  async function openEditor(page: Page): Promise<void> {
    await page.goto(`${origin}/catalog`);
    await page.getByRole("link", { name: "Edit", exact: true }).click();
    await heading(page, /Edit the catalog/);
  }

  async function publish(page: Page, reason: string): Promise<void> {
    await button(page, "Review and publish").click();
    await page.getByLabel("Reason").fill(reason);
    await button(page, "Publish").click();
    await heading(page, "Catalog");
  }

  const openTab = (page: Page, name: string) =>
    page.getByRole("link", { name, exact: true }).and(page.locator(".tabs a")).click();

  const newestText = async () => (await stack.operator.getCatalogRevision({})).text;

  test("a provider is called by an identity of its cloud where the form says so", async () => {
    await using opened = await signIn();
    const { page, problems } = opened;
    await openEditor(page);
    await button(page, "Add a provider").click();
    await page.getByLabel("Vendor").selectOption("Amazon Bedrock");
    await page.getByLabel("Region").fill("us-east-1");
    const role = "arn:aws:iam::123456789012:role/tollgate";
    await page.getByLabel("Role").fill(role);
    expect(await page.getByLabel("API key").count()).toBe(0);
    await look(page, "identity");
    await button(page, "Test the provider").click();
    await button(page, "Go on without a list").click();
    await button(page, "Add the provider").click();
    await expect.poll(() => yamlOf(page).inputValue()).toContain(`role_arn: ${role}`);
    expect(problems).toEqual([]);
  });

  test("a person adds OpenAI with a key, tests it, ticks two models and serves a request, within two minutes", async () => {
    const { key } = await stack.newAccount(5);
    await using opened = await signIn();
    const { page, problems } = opened;
    const apiKey = `sk-proj-${randomUUID()}`;
    const startedAt = performance.now();
    await page
      .getByRole("navigation", { name: "Screens" })
      .getByRole("link", { name: "Catalog" })
      .click();
    await page.getByRole("link", { name: "Edit", exact: true }).click();
    await button(page, "Add a provider").click();
    // The simulator stands for OpenAI.
    await page.getByLabel("Address").fill(`${stack.simulator.url}/v1`);
    await page.getByLabel("API key").fill("sk-refused-by-the-provider");
    await button(page, "Test the key").click();
    await page.getByRole("alert").getByText("401: Incorrect API key provided").waitFor();
    expect(await page.getByRole("alert").innerText()).not.toContain("sk-refused-by");
    await page.getByLabel("API key").fill(apiKey);
    await button(page, "Test the key").click();
    for (const model of ["gpt-4o", "gpt-4o-mini"]) {
      await page.getByRole("checkbox", { name: new RegExp(`^${model} `) }).check();
    }
    const prices = page.getByLabel(/^(Input|Output)$/);
    expect(await Promise.all([0, 1, 2, 3].map((at) => prices.nth(at).inputValue()))).toEqual([
      ...["2.50", "10.00", "0.15", "0.60"],
    ]);
    await button(page, "Test gpt-4o-mini").click();
    await page.getByText("It serves: first byte after").waitFor();
    await button(page, "Add the provider and 2 models").click();
    await page.getByText("stored key openai").waitFor();
    await publish(page, "OpenAI");
    const request = await new OpenAI({
      apiKey: key,
      baseURL: `${stack.url}/v1`,
      maxRetries: 0,
    }).chat.completions.create({
      model: "gpt-4o-mini",
      messages: [{ role: "user", content: "Hello" }],
    });
    const elapsedMs = performance.now() - startedAt;
    process.stdout.write(`The first request after ${Math.round(elapsedMs)} ms.\n`);
    expect(elapsedMs).toBeLessThan(maxMs);
    const usage = request.usage as OpenAI.CompletionUsage & { cost: number };
    const list = BigInt(usage.prompt_tokens) * 150n + BigInt(usage.completion_tokens) * 600n;
    // A charge is rounded up to a whole micro-USD.
    expect(nanoUsd(usage.cost)).toBe(((list + 999n) / 1_000n) * 1_000n);
    expect(problems).toEqual([]);

    const texts = {
      revision: await newestText(),
      audit: textOf(await stack.operator.listAudit({ limit: 1_000 })),
      secrets: textOf(await stack.operator.listSecrets({})),
      page: await page.content(),
      storage: await page.evaluate<string>(
        "JSON.stringify([{...localStorage}, {...sessionStorage}])",
      ),
    };
    expect(texts.audit).toContain("ListProviderModels");
    for (const [where, text] of Object.entries(texts)) expect(text, where).not.toContain(apiKey);
  });

  test("forms and YAML change one draft, whose errors stand at the line and at the field", async () => {
    await using opened = await signIn();
    const { page, problems } = opened;
    await openEditor(page);
    await look(page, "providers");
    await openTab(page, "Models");
    await look(page, "models");
    await button(page, "Edit gpt-4o").click();
    await page.getByLabel("Alias, for clients").fill("not an alias");
    await button(page, "Change the draft").click();
    const alias = page.getByLabel("Alias, for clients");
    await expect.poll(() => alias.getAttribute("aria-invalid"), { timeout: 15_000 }).toBe("true");
    await look(page, "model");
    await alias.fill("four");
    await page.getByLabel("output", { exact: true }).fill("12.5");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await yamlOf(page).inputValue()).toContain('output: "12.5"');
    const text = await yamlOf(page).inputValue();
    const choosing = page.waitForEvent("filechooser");
    await button(page, "Open a file").click();
    const buffer = Buffer.from(text.replace('output: "12.5"', "output: 12.5"));
    await (await choosing).setFiles({ name: "catalog.yaml", mimeType: "text/yaml", buffer });
    await expect.poll(() => yamlOf(page).inputValue()).toContain("output: 12.5");
    const line = text.split("\n").findIndex((one) => one.includes('output: "12.5"')) + 1;
    await page.getByRole("link", { name: `Line ${line}` }).click();
    expect(await page.evaluate("String(getSelection())")).toContain("output: 12.5");
    await look(page, "error");
    expect(await button(page, "Review and publish").isDisabled()).toBe(true);
    await page.reload();
    expect(await yamlOf(page).inputValue()).toContain("output: 12.5");
    await button(page, "Discard the draft").click();
    expect(await yamlOf(page).inputValue()).toBe(await newestText());
    expect(problems).toEqual([]);
  }, 180_000);

  test("weights, limits, costs, several keys and plans are set by forms, and published", async () => {
    await using opened = await signIn();
    const { page, problems } = opened;
    const closed = () => page.getByRole("dialog").waitFor({ state: "detached" });
    const fill = async (fields: Record<string, string>) => {
      for (const [label, value] of Object.entries(fields)) {
        await page.getByLabel(label, { exact: true }).fill(value);
      }
    };
    await openEditor(page);
    await openTab(page, "Models");
    await button(page, "Edit gpt-4o").click();
    await page.getByText("Share, limits and cost of slot 1").click();
    const limits = { "Requests a minute": "600", "In progress at most": "5" };
    const costs = { "Cost of input, USD": "1.25", "Cost of output, USD": "5" };
    await fill({ "Weight in its tier": "3", ...limits, ...costs });
    await button(page, "Change the draft").click();
    const weight = page.getByLabel("Weight in its tier");
    // It is refused without a tier.
    await expect.poll(() => weight.getAttribute("aria-invalid"), { timeout: 15_000 }).toBe("true");
    await look(page, "slot");
    await fill({ Tier: "1" });
    await button(page, "Change the draft").click();
    await closed();

    await openTab(page, "Providers");
    await button(page, "Edit openai").click();
    await page.getByLabel("Key", { exact: true }).selectOption("several");
    expect(await page.getByLabel("Name of key 1").inputValue()).toBe("openai");
    await button(page, "Add a key").click();
    await fill({ "Weight of key 1": "3", "Name of key 2": "openai" });
    await button(page, "Change the draft").click();
    await page.getByText("must not be openai, which another key has").waitFor();
    await look(page, "keys");
    await page.getByLabel("Kind of key 2").selectOption("env");
    await fill({ "Name of key 2": "TEST_SECOND_KEY" });
    await button(page, "Change the draft").click();
    await closed();

    await openTab(page, "Plans");
    await button(page, "Add a plan").click();
    await fill({ Name: "gold", Factor: "0.9" });
    await page.getByLabel("Another model with prices of its own").selectOption("gpt-4o-mini");
    await button(page, "Add").click();
    expect(await page.getByLabel("input", { exact: true }).inputValue()).toBe("0.15");
    await fill({ input: "0.10", output: "0.50" });
    await look(page, "plan");
    await button(page, "Add to the draft").click();
    await closed();
    const text = await yamlOf(page).inputValue();
    await yamlOf(page).fill(text.replace('input: "0.10"', "input: 0.10"));
    await button(page, "Edit the plan gold").click();
    const input = page.getByLabel("input", { exact: true });
    await expect.poll(() => input.getAttribute("aria-invalid"), { timeout: 15_000 }).toBe("true");
    await fill({ input: "0.12" });
    await button(page, "Change the draft").click();
    await closed();
    await look(page, "plans");
    await publish(page, "shares");
    const { providers, models, plans } = parse(await newestText());
    const [slot] = models.find(({ alias }) => alias === "gpt-4o")?.chain ?? [];
    expect(slot).toMatchObject({
      ...{ tier: 1, weight: 3, requests_per_minute: 600, parallel: 5 },
      cost: { input: "1.25", output: "5" },
    });
    expect(providers.openai?.keys).toEqual([
      { secret: "openai", weight: 3 },
      { env: "TEST_SECOND_KEY" },
    ]);
    const prices = { input: "0.12", output: "0.50" };
    expect(plans).toMatchObject({ gold: { factor: "0.9", models: { "gpt-4o-mini": prices } } });
    expect(problems).toEqual([]);
  }, 180_000);

  test("all errors of a text are shown, each with its line", async () => {
    await using opened = await signIn();
    const { page } = opened;
    await openEditor(page);
    const text = await yamlOf(page).inputValue();
    await yamlOf(page).fill(text.replace('"2.50"', "2.5").replace('"0.15"', "0.15"));
    await expect.poll(() => page.getByRole("link", { name: /^Line \d+$/ }).count()).toBe(2);
    await look(page, "errors");
    await button(page, "Discard the draft").click();
  }, 180_000);

  test("the second of two operators keeps both changes, and an earlier revision is published again", async () => {
    await using one = await signIn();
    await using other = await signIn();
    const before = await newestText();
    for (const { page } of [one, other]) await openEditor(page);
    await yamlOf(one.page).fill(before.replace('"2.50"', '"2.75"'));
    await yamlOf(other.page).fill(before.replace('"0.15"', '"0.25"'));
    await button(other.page, "Review and publish").click();
    await other.page.getByLabel("Reason").fill("mini costs more");
    // What it would see by itself comes after it has tried.
    const hasTried = Promise.withResolvers<void>();
    await other.page.route("**/GetCatalogRevision", async (route) => {
      await hasTried.promise;
      // The page may have left the call.
      await route.continue().catch(() => undefined);
    });
    await publish(one.page, "gpt-4o costs more");
    const dialog = other.page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Publish" }).click();
    await dialog.getByText("Another revision was published in the meantime").waitFor();
    hasTried.resolve();
    await dialog.getByText("gpt-4o costs more").waitFor();
    await look(other.page, "outdated");
    await dialog.getByRole("button", { name: "Keep both changes" }).click();
    await dialog.getByLabel("Reason").fill("mini costs more, too");
    await dialog.getByRole("button", { name: "Publish" }).click();
    await heading(other.page, "Catalog");
    const text = await newestText();
    expect([text.includes('"2.75"'), text.includes('"0.25"')]).toEqual([true, true]);

    await look(other.page, "catalog");
    const { revision } = await stack.operator.getCatalogStatus({});
    await button(other.page, `Roll back to revision ${revision - 2n}`).click();
    await dialog.getByLabel("Reason").fill("no");
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await eventually(async () => expect(await newestText()).toBe(before));
  }, 180_000);
});

interface CatalogText {
  providers: Record<string, { keys?: unknown }>;
  models: { alias: string; chain: object[] }[];
  plans?: unknown;
}

function parse(text: string): CatalogText {
  return parseYaml(text) as CatalogText;
}

function textOf(message: object): string {
  return JSON.stringify(message, (_, value) => (typeof value === "bigint" ? `${value}` : value));
}
