import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { routes } from "@tollgate/edge/routes";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectBooksInOrder } from "../src/ledger-books.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";

/** The browser of this machine. The tests are skipped if it has none. */
const executablePath = (process.env.PATH ?? "")
  .split(delimiter)
  .flatMap((folder) =>
    ["chromium", "google-chrome", "chromium-browser"].map((name) => join(folder, name)),
  )
  .find((path) => existsSync(path));

describe.skipIf(executablePath === undefined)("a browser", () => {
  let stack: Stack;
  let account: Account;
  let browser: Browser;

  beforeAll(async () => {
    stack = await startStack();
    account = await stack.newAccount(1);
    browser = await chromium.launch({
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ["--no-sandbox"],
    });
  });

  afterAll(async () => {
    await browser?.close();
    await expectBooksInOrder(stack);
    await stack.stop();
  });

  test("transcribes live with its key among the sub-protocols, and receives everything after its flush", async () => {
    const page = await browser.newPage();
    await page.goto(`${stack.url}/v1/health`);
    const url = `${stack.url.replace("http", "ws")}/v1/audio/transcriptions/stream`;
    const received = await page.evaluate(
      ([address, key]) =>
        new Promise<{ types: string[]; code: number; protocol: string }>((resolve) => {
          const socket = new WebSocket(address, ["tollgate", `openai-insecure-api-key.${key}`]);
          const types: string[] = [];
          socket.onmessage = ({ data }) => types.push(JSON.parse(data).type);
          socket.onclose = ({ code }) => resolve({ types, code, protocol: socket.protocol });
          socket.onopen = () => {
            socket.send(JSON.stringify({ model: "test-hear-late", format: "pcm_s16le" }));
            for (let frame = 0; frame < 30; frame += 1) socket.send(new Int16Array(1_600));
            socket.send(JSON.stringify({ action: "flush" }));
          };
        }),
      [url, account.key] as const,
    );
    expect(received).toMatchObject({ code: 1_000, protocol: "tollgate" });
    expect(received.types.filter((type) => type === "transcription.final")).toHaveLength(2);
    expect(received.types.filter((type) => type === "transcription.partial")).toHaveLength(6);
  });

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

  test("shows every operation in the API reference, and contacts no other host", async () => {
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

  test("can test a request in the API reference", async () => {
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
