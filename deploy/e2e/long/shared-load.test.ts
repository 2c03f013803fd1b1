import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { expectBalancedLedger } from "../src/ledger.ts";
import { readMetrics } from "../src/process-metrics.ts";
import { chatServices, type OwnStack, startStack, type TestAccount } from "../src/stack.ts";

const isShort = inject("form") === "short";
const replicas = 2;
/** How many requests are in progress at a time. */
const parallel = 16;
const count = isShort ? 600 : 10_000;
/** The promised share, and five standard deviations of a fair division of few requests. */
const tolerance = isShort ? 0.1 : 0.02;
/** 10,000 requests take two minutes, and much longer on a busy machine. */
const longMs = 1_200_000;
const users = isShort ? 20 : 200;
const callsPerUser = 10;

let stack: OwnStack;
let account: TestAccount;

beforeAll(async () => {
  stack = await startStack({}, { replicas, services: chatServices });
  for (const id of ["losing-down", "losing-limited"]) stack.simulator.replies.set(id, well);
  account = await stack.newAccount(1_000);
});

afterAll(async () => {
  await expectBalancedLedger(stack, 60_000);
  await stack.stop();
});

interface Sent {
  status: number;
  id: string;
  text: string;
}

/** Sends one request, to the replicas of the edge in turn. Every other one asks for a stream. */
async function chat(index: number, body: object): Promise<Sent> {
  const messages = [{ role: "user", content: "Hello there" }];
  const response = await fetch(`${stack.urls[index % replicas]}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
    body: JSON.stringify({ messages, stream: Math.floor(index / replicas) % 2 === 1, ...body }),
  });
  const { status, headers } = response;
  return { status, id: headers.get("x-request-id") ?? "", text: await response.text() };
}

/** Sends requests while `isMore` returns true for the number of the next. Resolves with the responses. */
async function sendWhile(
  isMore: (index: number) => boolean,
  bodyOf: (index: number) => object,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  let next = 0;
  const sendOn = async () => {
    while (isMore(next)) {
      const index = next++;
      sent.push(await chat(index, bodyOf(index)));
    }
  };
  await Promise.all(Array.from({ length: parallel }, sendOn));
  return sent;
}

function expectServed(sent: readonly Sent[]): void {
  const lost = sent.filter(
    ({ status, text }) => status !== 200 || (text.startsWith("data:") && !text.includes("[DONE]")),
  );
  expect(lost).toEqual([]);
}

/** Resolves with the calls of a counter by a label, over all processes that call providers. */
async function countsBy(metric: string, label: string, where: string): Promise<Counts> {
  const counts: Counts = {};
  for (const page of await readMetrics(stack.operationsUrls)) {
    for (const line of page.split("\n")) {
      const [, labels = "", value = "0"] = /^\w+\{(.*)\} (\d+)$/.exec(line) ?? [];
      if (!line.startsWith(`${metric}{`) || !labels.includes(where)) continue;
      const name = new RegExp(`${label}="([^"]*)"`).exec(labels)?.[1] ?? "";
      counts[name] = (counts[name] ?? 0) + Number(value);
    }
  }
  return counts;
}

type Counts = Record<string, number>;

function expectShares(counts: Counts, weights: Counts): void {
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  for (const [name, weight] of Object.entries(weights)) {
    const share = (counts[name] ?? 0) / count;
    expect(Math.abs(share - weight / total), `${name}: ${share}`).toBeLessThan(tolerance);
  }
}

const keyCalls = () => countsBy("tollgate_provider_key_calls_total", "key", 'provider="two-keys"');

describe(`over ${replicas} replicas`, () => {
  test(
    `${count} requests are divided by the weights of the slots, and of the keys`,
    async () => {
      const sent = await sendWhile(
        (index) => index < count,
        () => ({ model: "test-weighted" }),
      );
      expectServed(sent);
      const slots = await countsBy("tollgate_slot_calls_total", "slot", 'alias="test-weighted"');
      expectShares(slots, {
        "two-keys/weighted-5": 5,
        "two-keys/weighted-3": 3,
        "two-keys/weighted-2": 2,
      });
      expectShares(await keyCalls(), { TEST_PROVIDER_KEY: 3, TEST_SECOND_KEY: 1 });
      const pages = await readMetrics(stack.operationsUrls);
      expect(pages.filter((page) => page.includes('alias="test-weighted",slot="')).length).toBe(
        replicas,
      );
    },
    longMs,
  );

  test(
    `each of ${users} users has one slot and one key`,
    async () => {
      const [slotOf, keyOf] = [new Map<string, string>(), new Map<string, string>()];
      for (let user = 0; user < users; user += 1) {
        const [before, since] = [await keyCalls(), lastCall()];
        const sent = await sendWhile(
          (index) => index < callsPerUser,
          () => ({ model: "test-weighted", user: `user-${user}` }),
        );
        expectServed(sent);
        const models = stack.simulator.calls.list({ since }).map(({ model }) => model);
        const keys = Object.entries(await keyCalls()).flatMap(([key, calls]) => {
          return calls === (before[key] ?? 0) ? [] : [`${key}: ${calls - (before[key] ?? 0)}`];
        });
        expect([models, keys.length]).toEqual([Array(callsPerUser).fill(models[0]), 1]);
        slotOf.set(`user-${user}`, models[0] ?? "");
        keyOf.set(`user-${user}`, keys[0] ?? "");
      }
      expect(new Set(slotOf.values()).size).toBe(3);
      expect(new Set(keyOf.values()).size).toBe(2);
    },
    longMs,
  );

  test(
    "no request is lost while a key and slots go out under load, and come back",
    async () => {
      let isOver = false;
      const load = sendWhile(
        () => !isOver,
        () => ({ model: "test-losing" }),
      );
      try {
        await goOutAndComeBack("losing-down", {
          status: 503,
          body: { error: { message: "down" } },
        });
        await goOutAndComeBack("losing-limited", {
          status: 429,
          headers: { "retry-after": "1" },
          body: { error: { message: "slow down" } },
        });
        await eventually(() => expect(callsWith("id=losing", 401)).toBeGreaterThan(0));
      } finally {
        isOver = true;
      }
      expectServed(await load);
    },
    longMs,
  );
});

function lastCall(): number {
  return stack.simulator.calls.list().at(-1)?.seq ?? 0;
}

/** Returns how many calls of a model whose commands contain a text had a status. */
function callsWith(command: string, status: number, since = 0): number {
  const calls = stack.simulator.calls.list({ since });
  return calls.filter((call) => call.model.includes(command) && call.status === status).length;
}

/** Lets a slot fail until it has failed often, and serve until it has served again. */
async function goOutAndComeBack(id: string, reply: Parameters<typeof setReply>[1]): Promise<void> {
  const long = { timeout: 60_000 };
  await eventually(() => expect(callsWith(id, 200)).toBeGreaterThan(20), long);
  setReply(id, reply);
  await eventually(() => expect(callsWith(id, reply.status)).toBeGreaterThan(2), long);
  setReply(id, well);
  const since = lastCall();
  await eventually(() => expect(callsWith(id, 200, since)).toBeGreaterThan(20), long);
}

function setReply(
  id: string,
  reply: { status: number; headers?: Record<string, string>; body: object },
) {
  stack.simulator.replies.set(id, reply);
}

const well = {
  status: 200,
  body: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "losing",
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
};
