import { routes } from "@tollgate/edge/routes";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../src/browser.ts";
import { describeInBrowser } from "../src/describe-in-browser.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack } = await sharedStack();

describeInBrowser("the API reference in a browser", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });

  afterAll(() => browser?.close());

  /** Opens the API reference, and records the requests and errors of the page. */
  async function openReference(): Promise<{ page: Page; requests: URL[]; errors: string[] }> {
    const page = await browser.newPage();
    const requests: URL[] = [];
    const errors: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url())));
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    await page.goto(`${stack.url}/docs`);
    return { page, requests, errors };
  }

  function expectOwnHost(requests: readonly URL[]): void {
    const foreign = requests.filter(
      ({ origin, protocol }) => origin !== stack.url && protocol !== "data:",
    );
    expect(foreign.map(String)).toEqual([]);
  }

  test("shows every operation, and contacts no other host", async () => {
    const { page, requests, errors } = await openReference();
    const entry = (summary: string) => page.getByText(summary, { exact: true });
    for (const { operation } of routes) {
      if (operation.extensions?.["x-internal"] === true) continue;
      await entry(operation.summary).first().waitFor({ state: "attached" });
    }
    expect(await entry("Get a file of the API reference").count()).toBe(0);
    expect(requests.map(({ pathname }) => pathname)).toContain("/openapi.json");
    expectOwnHost(requests);
    expect(errors).toEqual([]);
  });

  test("can test a request", async () => {
    const { page, requests } = await openReference();
    await page.getByText("Get the gateway's health").first().click();
    await page
      .getByRole("button", { name: /Test Request.*\/v1\/health/ })
      .first()
      .click();
    const sent = page.waitForResponse(`${stack.url}/v1/health`);
    await page.getByRole("button", { name: /^Send/ }).last().click();
    expect((await sent).status()).toBe(200);
    expectOwnHost(requests);
  });
});
