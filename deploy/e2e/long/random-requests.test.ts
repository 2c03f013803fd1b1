import { Pool } from "undici";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { expectDocumented } from "../src/conformance.ts";
import { expectBalancedLedger } from "../src/ledger.ts";
import { liveClient } from "../src/live-client.ts";
import { readMetrics } from "../src/process-metrics.ts";
import { type RandomRequest, randomFrames, randomRequest } from "../src/random-request.ts";
import { type OwnStack, startStack, type TestAccount } from "../src/stack.ts";

const seed = Number(process.env.TOLLGATE_TEST_SEED ?? 1);
const isShort = inject("form") === "short";
const totals = isShort ? { all: 40_000, fleet: 15_000 } : { all: 1_000_000, fleet: 100_000 };
const total = totals[inject("shape")];
const concurrency = 64;
const sockets = isShort ? 200 : 2_000;

/** Of so many responses one is compared with the OpenAPI document, which takes longer. */
const comparedEvery = 200;

let stack: OwnStack;
let account: TestAccount;
let partner: string;

beforeAll(async () => {
  stack = await startStack({ TOLLGATE_SESSION_WAIT_SECONDS: "2" });
  account = await stack.newAccount(1_000_000);
  const channel = { account: account.accountId, channel: "settlement" };
  partner = (await stack.operator.createKey(channel)).key;
});

afterAll(() => stack.stop());

test(`${total} random requests find no bug, with flat memory and exact books`, async () => {
  const pool = new Pool(stack.url, { connections: concurrency });
  const statuses = new Map<string, number>();
  const memory: number[] = [];
  let next = 0;

  async function sendSome(): Promise<void> {
    while (next < total) {
      const index = next++;
      const place = await check(pool, index);
      statuses.set(place, (statuses.get(place) ?? 0) + 1);
      if (index % (total / 100) === 0) memory.push(await heapBytes());
    }
  }

  await Promise.all(Array.from({ length: concurrency }, sendSome));
  await pool.close();
  expect(statuses.size).toBeGreaterThan(30);
  // The least of many readings is what the collector of garbage cannot free.
  const early = Math.min(...memory.slice(10, 30));
  const late = Math.min(...memory.slice(-20));
  expect(late).toBeLessThan(early * 1.2 + 50_000_000);
  await expectBalancedLedger(stack, 60_000);
}, 3_600_000);

test("random frames of live transcriptions are refused or transcribed, and every socket ends", async () => {
  const live = liveClient(stack, account);
  const endings = new Map<string, number>();
  let next = 0;

  async function talkSome(): Promise<void> {
    while (next < sockets) {
      const index = next++;
      const { socket, frames, closed } = await live.open();
      for (const frame of randomFrames(seed, index)) socket.send(frame);
      socket.close();
      const code = await closed;
      const { error } = frames.at(-1) ?? {};
      const label = `socket ${index} of seed ${seed}: ${code} ${JSON.stringify(error)}`;
      expect([1_000, 1_008, 1_009, 1_011], label).toContain(code);
      expect(error?.code, label).not.toBe("internal_error");
      const ending = `${code} ${error?.code ?? ""}`;
      endings.set(ending, (endings.get(ending) ?? 0) + 1);
    }
  }

  await Promise.all(Array.from({ length: 16 }, talkSome));
  expect(endings.size).toBeGreaterThan(2);
  await expectBalancedLedger(stack, 60_000);
}, 600_000);

/**
 * Returns the memory of JavaScript in all processes, with its buffers. The resident memory grows for
 * longer, since the allocator keeps what it cannot give back.
 */
async function heapBytes(): Promise<number> {
  const texts = await readMetrics(stack.operationsUrls);
  const gauges = texts
    .join("\n")
    .matchAll(/^nodejs_(?:heap_size_used|external_memory)_bytes (\S+)/gm);
  return Array.from(gauges, ([, bytes]) => Number(bytes)).reduce((sum, bytes) => sum + bytes, 0);
}

/** Sends one request and checks its response. Returns its route, status and error code. */
async function check(pool: Pool, index: number): Promise<string> {
  const request = randomRequest(seed, index);
  const { method, path, headers, body } = request;
  const key = path.startsWith("/v1/hf/") ? partner : account.key;
  const response = await pool.request({
    method,
    path,
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const { statusCode: status } = response;
  const text = await response.body.text();
  const label = `request ${index} of seed ${seed}: ${method} ${path} returned ${status}: ${text}`;
  expect(response.headers["x-request-id"], label).toMatch(/^req_[0-9a-f]{32}$/);
  const code = status < 400 ? "" : codeOf(text, label);
  if (status >= 500) expect(code, label).toBe("upstream_rejected");
  if (index % comparedEvery === 0) compare(request, status, response.headers, text);
  return method === "POST" ? `${path.split("?")[0]} ${status} ${code}` : `${status} ${code}`;
}

/** Returns the code of an error envelope. */
function codeOf(text: string, label: string): string {
  const { error } = JSON.parse(text) as { error?: Record<string, unknown> };
  expect(error, label).toMatchObject({ code: expect.any(String), message: expect.any(String) });
  return String(error?.code);
}

function compare(
  { method, path, headers: sent, body }: RandomRequest,
  status: number,
  received: Record<string, string | string[] | undefined>,
  text: string,
): void {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) headers.set(name, String(value));
  const isJson = sent["content-type"] === "application/json";
  expectDocumented(
    { method, url: `${stack.url}${path}`, body: isJson ? parse(String(body)) : undefined },
    { status, headers, text, body: parse(text) },
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
