import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, startBrowser } from "../src/browser.ts";
import { expectBalancedLedger } from "../src/ledger.ts";
import { sharedStack } from "../src/shared-stack.ts";
import type { Account, Stack } from "../src/stack.ts";

describe.skipIf(browserPath === undefined)("a browser", () => {
  let stack: Stack;
  let account: Account;
  let browser: Browser;

  beforeAll(async () => {
    stack = await sharedStack();
    account = await stack.newAccount(1);
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await expectBalancedLedger(stack);
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
});
