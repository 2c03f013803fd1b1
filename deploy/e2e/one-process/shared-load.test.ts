import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { entryOf } from "../src/ledger.ts";
import { chatBody, expectEnvelope, requestIdOf, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account, chat } = await sharedStack({ creditUsd: 50 });

/** How many requests are in progress at a time: other files of the run share the machine. */
const parallel = 6;

/** Sends requests, some at a time. Resolves with the responses, in order. */
async function sendAll<Item>(items: readonly Item[], one: (item: Item) => Promise<HttpResponse>) {
  const responses: HttpResponse[] = [];
  for (let start = 0; start < items.length; start += parallel) {
    responses.push(...(await Promise.all(items.slice(start, start + parallel).map(one))));
  }
  return responses;
}

/** Returns the models of the providers that were called for responses, in order. */
function servedBy(responses: readonly HttpResponse[]): readonly (string | undefined)[] {
  const calls = new Map(stack.simulator.calls.list().map((call) => [call.requestId, call.model]));
  return responses.map((response) => calls.get(requestIdOf(response) ?? ""));
}

function statusesOf(responses: readonly HttpResponse[]): number[] {
  return [...new Set(responses.map(({ status }) => status))];
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("slots of one tier", () => {
  test("divide requests by their weights", async () => {
    const responses = await sendAll(numbers(120), () => chat("test-shared"));
    expect(statusesOf(responses)).toEqual([200]);
    const share = servedBy(responses).filter((model) => model === "shared-3").length / 120;
    // Four standard deviations of a fair division.
    expect(Math.abs(share - 0.75), `${share}`).toBeLessThan(0.16);
  });

  test("lose no request when one of them goes out under load, and the others serve it", async () => {
    const responses = await sendAll(numbers(100), () => chat("test-shared-failing"));
    expect(statusesOf(responses)).toEqual([200]);
    const calls = stack.simulator.calls.list().filter(({ model }) => model?.startsWith("leaving"));
    const failed = calls.filter(({ outcome }) => outcome === "failed").length;
    expect(failed).toBeGreaterThan(0);
    expect(calls.length - failed).toBe(20);
    expect(failed).toBeLessThan(40);
  });
});

describe("requests of the same conversation, cache or user are sent to one slot", () => {
  const hello = [{ role: "user", content: "Hello there" }];
  const wires = {
    user: (name: string) => chat("test-affine", { user: name }),
    "prompt_cache_key, whoever the user is": (name: string, call: number) =>
      chat("test-affine", { prompt_cache_key: name, user: `user-${call}` }),
    "prompt_cache_key of Responses": (name: string) =>
      send(`${stack.url}/v1/responses`, {
        key: account.key,
        body: { model: "test-affine", input: "Hello there", store: false, prompt_cache_key: name },
      }),
    "metadata.user_id of Messages": (name: string) =>
      send(`${stack.url}/v1/messages`, {
        key: account.key,
        body: {
          ...{ model: "test-affine", max_tokens: 20, messages: hello },
          metadata: { user_id: name },
        },
      }),
  };

  test.each(Object.entries(wires))("by %s", async (_, call) => {
    const names = numbers(12).map((index) => `name-${index}`);
    const rounds: (readonly (string | undefined)[])[] = [];
    for (const round of numbers(3)) {
      const responses = await sendAll(names, (name) => call(name, round));
      expect(statusesOf(responses)).toEqual([200]);
      rounds.push(servedBy(responses));
    }
    expect(rounds[1]).toEqual(rounds[0]);
    expect(rounds[2]).toEqual(rounds[0]);
    expect(new Set(rounds[0]).size).toBeGreaterThan(1);
  });

  test("by its session_id", async () => {
    const sessions = numbers(6).map(() => crypto.randomUUID());
    const rounds: (readonly (string | undefined)[])[] = [];
    for (const _ of numbers(3)) {
      const responses = await sendAll(sessions, (id) => chat("test-affine", { session_id: id }));
      expect(statusesOf(responses)).toEqual([200]);
      rounds.push(servedBy(responses));
    }
    expect(rounds[2]).toEqual(rounds[0]);
    expect(rounds[1]).toEqual(rounds[0]);
  });
});

describe("a slot with limits", () => {
  test("has no more requests in progress, and the record says why the next slot served", async () => {
    const leaving = new AbortController();
    const first = await fetch(`${stack.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify(
        chatBody({ model: "test-parallel", stream: true, ...simulate("stall_after=2") }),
      ),
      signal: leaving.signal,
    });
    await first.body?.getReader().read();
    const second = await chat("test-parallel");
    expect(servedBy([second])).toEqual(["after-one-at-a-time"]);
    await eventually(async () => {
      const { requests } = await stack.operator.getRequest({ id: requestIdOf(second) ?? "" });
      expect(requests).toMatchObject([
        {
          passedOver: [
            { provider: "long_timeout", upstreamModel: "one-at-a-time", reason: "full" },
          ],
        },
      ]);
    });
    leaving.abort();
    await eventually(async () => {
      expect(servedBy([await chat("test-parallel")])).toEqual(["one-at-a-time"]);
    });
  });

  test.each([
    ["without a plan", "", 1],
    ["with a plan", "test-half", 0.5],
  ])("passes a request on at the price that is held for it: %s", async (_, plan, factor) => {
    const own = await stack.newAccount(5, "strict");
    await stack.operator.updateAccount({ account: own.accountId, plan });
    const leaving = new AbortController();
    const stream = (command: string, signal?: AbortSignal) =>
      fetch(`${stack.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${own.key}`, "content-type": "application/json" },
        body: JSON.stringify(
          chatBody({
            model: "test-plan-full",
            stream: true,
            max_tokens: 200,
            ...simulate(command),
          }),
        ),
        signal: signal ?? null,
      });
    const holds = async () => {
      const { holds } = await stack.operator.listHolds({ account: own.accountId });
      return holds.map(({ amountNanoUsd }) => Number(amountNanoUsd));
    };
    const first = await stream("stall_after=2", leaving.signal);
    await first.body?.getReader().read();
    const [heldFirst = 0] = await holds();
    const second = await stream("chunks=20&gap_ms=100&usage=20,100");
    const reading = second.text();
    const held = await holds();
    // 200 tokens at the second slot's price, and a few of the prompt.
    const atLeast = 8_000_000 * factor;
    expect(held).toEqual([heldFirst, heldFirst]);
    expect(heldFirst).toBeGreaterThan(atLeast);
    expect(heldFirst).toBeLessThan(atLeast * 1.2);
    expect(await reading).toContain("[DONE]");
    const id = second.headers.get("x-request-id") ?? "";
    expect(await entryOf(stack, own, id)).toMatchObject({
      amountNanoUsd: BigInt(-4_200_000 * factor),
      lines: [
        { dimension: "input", pricePicoUsd: BigInt(10_000_000_000_000 * factor) },
        { dimension: "output", pricePicoUsd: BigInt(40_000_000_000_000 * factor) },
      ],
    });
    expect(stack.simulator.calls.list().at(-1)?.model).toBe("after-cheap");
    leaving.abort();
    await eventually(async () => expect(await holds()).toEqual([]));
  });

  test("is sent no more requests a minute, and a client is asked to wait", async () => {
    const responses = await sendAll(numbers(2), () => chat("test-few"));
    expect(statusesOf(responses)).toEqual([200]);
    const refused = await chat("test-few");
    expectEnvelope(refused, 503, "no_provider_available");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(10);
  });

  test("counts no tokens of prompts once it is full: they are estimated", async () => {
    const body = { model: "test-counted", messages: [{ role: "user", content: "Hello there" }] };
    const count = () => send(`${stack.url}/v1/messages/count_tokens`, { key: account.key, body });
    const counted = () =>
      stack.simulator.calls.list().filter(({ route }) => route.endsWith("count_tokens")).length;
    expect((await count()).status).toBe(200);
    expect(counted()).toBe(1);
    const used = { ...body, max_tokens: 20 };
    const message = await send(`${stack.url}/v1/messages`, { key: account.key, body: used });
    expect(message.status).toBe(200);
    expect(await count()).toMatchObject({ status: 200, body: { input_tokens: 3 } });
    expect(counted()).toBe(1);
  });
});

test("a key that expires under load costs no request, and is named to the operator", async () => {
  const responses = await sendAll(numbers(100), () => chat("test-pooled"));
  expect(statusesOf(responses)).toEqual([200]);
  expect(stack.simulator.calls.list().map(({ model }) => model)).not.toContain("after-pooled");
  const hour = 3_600;
  const from = { seconds: BigInt(Math.floor(Date.now() / 1_000 / hour) * hour), nanos: 0 };
  const to = { seconds: from.seconds + BigInt(hour), nanos: 0 };
  await eventually(async () => {
    const { refusedKeys } = await stack.operator.readOverview({ from, to });
    const refused = refusedKeys.filter(({ provider }) => provider === "pooled");
    expect(refused).toMatchObject([{ key: "TEST_SECOND_KEY", status: 401 }]);
  });
  await eventually(async () => {
    const id = requestIdOf(responses.at(-1) as HttpResponse) ?? "";
    const { requests } = await stack.operator.getRequest({ id });
    expect(requests).toMatchObject([{ attempts: [{ key: "TEST_PROVIDER_KEY", errorCode: "" }] }]);
  });
});

test("a stream that does not begin in time is served by the next slot", async () => {
  const response = await chat("test-late-start", { stream: true });
  expect(response.status).toBe(200);
  expect(stack.simulator.calls.list().at(-1)?.model).toBe("after-late");
});

test("a stream that takes longer than its provider's calls may is billed for what was delivered", async () => {
  const body = { stream: true, ...simulate("gap_ms=100&chunks=300") };
  const response = await chat("test-cut-short", body);
  expect(response.text).toContain("upstream_rejected");
  expect(response.text).not.toContain("[DONE]");
  const entry = await entryOf(stack, account, requestIdOf(response) ?? "");
  expect(entry).toMatchObject({ kind: "usage", basis: "tokenized" });
});

test("a whole response is requested again as often as the slot's retries allow", async () => {
  expect((await chat("test-repeated", { stream: false })).status).toBe(200);
  const models = stack.simulator.calls.list().map(({ model }) => model?.split("?")[0]);
  expect(models.filter((model) => model === "repeated")).toHaveLength(3);
  expect(models).not.toContain("after-repeated");
});
