import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectBooksInOrder } from "../src/ledger-books.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";

/** A browser is no package of ours: the page runs where the machine has one. */
const executablePath = (process.env.PATH ?? "")
  .split(delimiter)
  .flatMap((folder) =>
    ["chromium", "google-chrome", "chromium-browser"].map((name) => join(folder, name)),
  )
  .find((path) => existsSync(path));

describe("a browser", () => {
  let stack: Stack;
  let account: Account;

  beforeAll(async () => {
    stack = await startStack();
    account = await stack.newAccount(1);
  });

  afterAll(async () => {
    await expectBooksInOrder(stack);
    await stack.stop();
  });

  test.skipIf(executablePath === undefined)(
    "transcribes live, its key among the sub-protocols, and hears everything after its flush",
    async () => {
      const browser = await chromium.launch({
        ...(executablePath === undefined ? {} : { executablePath }),
        args: ["--no-sandbox"],
      });
      try {
        const page = await browser.newPage();
        await page.goto(`${stack.url}/v1/health`);
        const url = `${stack.url.replace("http", "ws")}/v1/audio/transcriptions/stream`;
        const heard = await page.evaluate(
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
        expect(heard).toMatchObject({ code: 1_000, protocol: "tollgate" });
        expect(heard.types.filter((type) => type === "transcription.final")).toHaveLength(2);
        expect(heard.types.filter((type) => type === "transcription.partial")).toHaveLength(6);
      } finally {
        await browser.close();
      }
    },
  );
});
