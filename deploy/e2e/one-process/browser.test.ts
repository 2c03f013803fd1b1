import { createServer } from "node:http";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../src/browser.ts";
import { describeInBrowser } from "../src/describe-in-browser.ts";
import { send } from "../src/request.ts";
import { allowedOrigin, sharedStack } from "../src/shared-stack.ts";

const { stack, account } = await sharedStack();

describeInBrowser("a browser", () => {
  let browser: Browser;
  const pages = createServer((_req, res) => void res.end());

  beforeAll(async () => {
    browser = await startBrowser();
    pages.listen(Number(new URL(allowedOrigin).port));
  });

  afterAll(async () => {
    await browser?.close();
    pages.close();
  });

  /** Opens an empty page of another origin. */
  async function openPage(): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(allowedOrigin);
    return page;
  }

  test("streams a chat into a page of another origin, which reads the request id", async () => {
    const page = await openPage();
    const received = await page.evaluate(
      async ([url, key]) => {
        const response = await fetch(`${url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({
            model: "test-small",
            stream: true,
            messages: [{ role: "user", content: "Hello" }],
          }),
        });
        const text = await response.text();
        return { id: response.headers.get("x-request-id"), isDone: text.endsWith("[DONE]\n\n") };
      },
      [stack.url, account.key] as const,
    );
    expect(received).toEqual({ id: expect.stringMatching(/^req_/), isDone: true });
  });

  test("shows an image that comes as a data URL", async () => {
    const page = await openPage();
    const { body } = await send(`${stack.url}/v1/images/generations`, {
      key: account.key,
      body: { model: "test-image-gpt", prompt: "A lighthouse" },
    });
    const [image] = (body as { data: { url: string }[] }).data;
    const size = await page.evaluate<number[]>(`(async () => {
      const image = new Image();
      image.src = ${JSON.stringify(image?.url)};
      await image.decode();
      return [image.naturalWidth, image.naturalHeight];
    })()`);
    expect(size).toEqual([256, 256]);
  });

  test("transcribes live with its key among the sub-protocols, and receives everything after its flush", async () => {
    const page = await openPage();
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
