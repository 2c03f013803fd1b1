import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { chatBody, send } from "../src/request.ts";
import { startStack, type TestAccount } from "../src/stack.ts";

const mebibyte = 1024 * 1024;
const connections = 30;
const bodyBytes = 30 * mebibyte;
/** Others keep the gateway busy meanwhile. */
const soon = { timeout: 60_000 };

/** A key's share of 256 MiB, and what the requests take besides. */
const shareBytes = (64 + 36) * mebibyte;

describe("many large bodies that are never sent whole", { timeout: 180_000 }, async () => {
  const stack = await startStack();
  afterAll(stack.stop);
  const other = await stack.newAccount(1);

  /** Sends half of a body on each connection. Returns them, and what each receives. */
  function attack({ key }: TestAccount, header = (_index: number) => "") {
    const { hostname, port } = new URL(stack.url);
    const received: string[] = Array.from({ length: connections }, () => "");
    const sockets = received.map((_, index): Socket => {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => {});
      socket.on("data", (data) => {
        received[index] += String(data);
      });
      const head = [
        "POST /v1/chat/completions HTTP/1.1",
        "host: x",
        `authorization: Bearer ${key}`,
        `content-length: ${bodyBytes}`,
        header(index),
      ].filter((line) => line !== "");
      socket.write(`${head.join("\r\n")}\r\n\r\n{"model":"`);
      socket.write(Buffer.alloc(bodyBytes / 2, "x"));
      return socket;
    });
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    return received;
  }

  const chat = ({ key }: TestAccount) =>
    send(`${stack.url}/v1/chat/completions`, { key, body: chatBody() });

  /** Resolves with how many requests of another account are served in a second, several at a time. */
  async function measureCapacity(): Promise<number> {
    const [clients, each] = [8, 15];
    const startedAt = performance.now();
    const sendAll = async () => {
      for (let sent = 0; sent < each; sent += 1) expect((await chat(other)).status).toBe(200);
    };
    await Promise.all(Array.from({ length: clients }, sendAll));
    return (clients * each * 1_000) / (performance.now() - startedAt);
  }

  /** The heap grows by ordinary requests, too, until the process has compiled its code. */
  beforeAll(async () => {
    for (let round = 0; round < 4; round += 1) await measureCapacity();
  });

  /**
   * Sends requests of another account at half of a capacity, until the attack has ended, and 60 at least.
   * Expects each to be served.
   */
  async function expectOthersServed(capacity: number, attacked: Promise<unknown>): Promise<void> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    attacked.then(end, end);
    const statuses: Promise<number>[] = [];
    while (!isOver || statuses.length < 60) {
      statuses.push(chat(other).then(({ status }) => status));
      await sleep(2_000 / capacity);
    }
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
    await attacked;
  }

  test.each([
    ["without an idempotency key", () => ""],
    ["with idempotency keys", (index: number) => `idempotency-key: large-${index}`],
  ])("of an empty wallet take no memory, and are refused at once, %s", async (_, header) => {
    const capacity = await measureCapacity();
    const before = stack.memoryBytes();
    const received = attack(await stack.newAccount(0), header);
    const refused = eventually(() => {
      for (const response of received) expect(response).toMatch(/^HTTP\/1\.1 402 /);
    }, soon);
    await expectOthersServed(capacity, refused);
    expect(stack.memoryBytes() - before).toBeLessThan(shareBytes);
  });

  test("of one key take its share, and the rest is refused with a Retry-After", async () => {
    const capacity = await measureCapacity();
    const before = stack.memoryBytes();
    const received = attack(await stack.newAccount(0.000001));
    const refused = eventually(() => {
      const responses = received.filter((response) => response !== "");
      expect(responses.length).toBeGreaterThanOrEqual(connections - 64 / 15);
      for (const response of responses) {
        expect(response).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 2\r\n/i);
      }
    }, soon);
    await expectOthersServed(capacity, refused);
    expect(stack.memoryBytes() - before).toBeLessThan(shareBytes);
  });
});
