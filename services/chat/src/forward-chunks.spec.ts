import { vendors } from "@tollgate/providers";
import { readUsageBlock } from "@tollgate/providers/openai/usage";
import type { ProviderBody } from "@tollgate/upstream/provider-call";
import { expect, test } from "vitest";
import { forwardChunks } from "./forward-chunks.ts";
import type { StreamAllowance } from "./hold/stream-allowance.ts";
import { UsageCounter } from "./usage/usage-counter.ts";
import { ChatEvents } from "./wires/chat/events.ts";

const context = {
  alias: "m",
  id: "c",
  created: 1,
  client: { json: {} },
  promptCharacters: 0n,
  sessionId: "",
  kind: vendors.openai,
  readUsageBlock,
};

/** A provider's stream of one read, with a chunk for each text, and what it leaves unread. */
function bodyOf(texts: readonly string[], unread?: string) {
  const events = texts.map((content) => ({ choices: [{ index: 0, delta: { content } }] }));
  const data = [...events.map((event) => JSON.stringify(event)), ...(unread ? [] : ["[DONE]"])];
  const closed = { early: false };
  async function* read() {
    try {
      yield Buffer.from(data.map((event) => `data: ${event}\n\n`).join(""));
    } finally {
      closed.early = true;
    }
  }
  const body: ProviderBody = Object.assign(read(), {
    letEnd() {
      closed.early = false;
    },
    takeUnread: () => Buffer.from(unread ?? ""),
  });
  return { body, closed };
}

/** An allowance of `admitted` chunks that waits as often as `waits` has results. */
function allowanceOf(admitted: number, waits: boolean[]): StreamAllowance {
  let left = admitted;
  return {
    admit: () => left-- > 0,
    async wait() {
      left = admitted;
      return waits.shift() ?? false;
    },
    stopGrowing() {},
    isUsedUp: false,
  };
}

async function forward(body: ProviderBody, allowance: StreamAllowance) {
  const counted: unknown[] = [];
  const counter = { endEmpty() {}, add: (chunk: unknown) => void counted.push(chunk) };
  const reading = { events: new ChatEvents(context), context, counter };
  const texts: string[][] = [];
  const { signal } = new AbortController();
  for await (const { chunks } of forwardChunks(body, signal, reading, allowance)) {
    texts.push(
      chunks.map(
        (chunk) => JSON.parse(String(chunk).slice("data: ".length)).choices[0].delta.content,
      ),
    );
  }
  return { texts, counted: counted.length };
}

test("a stream that waits for its allowance continues with the chunk that was not covered", async () => {
  const { body } = bodyOf(["a", "b", "c", "d", "e"]);
  const { texts, counted } = await forward(body, allowanceOf(2, [true, true]));
  expect(texts).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  expect(counted).toBe(5);
});

test("a stream without allowance ends, and closes the provider's connection", async () => {
  const { body, closed } = bodyOf(["a", "b", "c"]);
  const { texts, counted } = await forward(body, allowanceOf(1, [true, false]));
  expect(texts).toEqual([["a"], ["b"]]);
  expect(counted).toBe(2);
  expect(closed.early).toBe(true);
});

test("the first part has the rates", async () => {
  const { body } = bodyOf(["a", "b"]);
  const rates = { requests: { limit: 5n, remaining: 4n, resetMs: 1_000 } };
  const reading = {
    events: new ChatEvents(context),
    context,
    counter: new UsageCounter(),
    rates,
  };
  const { signal } = new AbortController();
  const found: unknown[] = [];
  for await (const part of forwardChunks(body, signal, reading, allowanceOf(1, [true]))) {
    found.push(part.rates);
  }
  expect(found).toEqual([rates, undefined]);
});

test("what a provider had sent before its client left is counted, with its usage", async () => {
  const last = { choices: [], usage: { prompt_tokens: 5, completion_tokens: 9 } };
  const { body } = bodyOf(["a", "b"], `data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
  const counter = new UsageCounter();
  const reading = { events: new ChatEvents(context), context, counter };
  const { signal } = new AbortController();
  for await (const _ of forwardChunks(body, signal, reading, allowanceOf(1, [true]))) break;
  expect(counter.reported).toMatchObject({ promptTokens: 5n, completionTokens: 9n });
});
