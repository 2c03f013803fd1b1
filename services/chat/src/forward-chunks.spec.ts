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
  client: { json: {}, mayHave: () => true, mayHaveLonger: () => false },
  promptCharacters: 0n,
  sessionId: "",
  kind: vendors.openai,
  readUsageBlock,
};

/** A provider's stream of one read, with a chunk for each text, the last of which finishes. */
function bodyOf(texts: readonly string[]) {
  const events = texts.map((content, at) => {
    const finish_reason = at === texts.length - 1 ? "stop" : null;
    return { choices: [{ index: 0, delta: { content }, finish_reason }] };
  });
  const data = [...events.map((event) => JSON.stringify(event)), "[DONE]"];
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

function readingOf() {
  return { events: new ChatEvents(context), context, counter: new UsageCounter(), choices: 1n };
}

async function forward(body: ProviderBody, allowance: StreamAllowance) {
  const counted: unknown[] = [];
  const reading = readingOf();
  const { counter } = reading;
  const add = counter.add.bind(counter);
  counter.add = (chunk) => {
    counted.push(chunk);
    add(chunk);
  };
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
  const reading = { ...readingOf(), rates };
  const { signal } = new AbortController();
  const found: unknown[] = [];
  for await (const part of forwardChunks(body, signal, reading, allowanceOf(1, [true]))) {
    found.push(part.rates);
  }
  expect(found).toEqual([rates, undefined]);
});

/** A provider's stream of several reads, after which it breaks or ends. */
function readsOf(reads: readonly string[], failure?: Error): ProviderBody {
  async function* read() {
    for (const text of reads) yield Buffer.from(text);
    if (failure !== undefined) throw failure;
  }
  return Object.assign(read(), { letEnd() {} });
}

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const content = (text: string, finish_reason: string | null = null) =>
  data({ choices: [{ index: 0, delta: { content: text }, finish_reason }] });
const unlimited = () => allowanceOf(Number.POSITIVE_INFINITY, []);
const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" });

test.each<[string, ProviderBody]>([
  ["its connection breaks", readsOf([content("a", "stop")], reset)],
  ["an event is cut", readsOf([content("a", "stop"), 'data: {"choi'])],
  ["an error follows", readsOf([content("a", "stop"), data({ error: { code: 500 } })])],
])("a stream that has finished is complete, although %s", async (_, body) => {
  expect((await forward(body, unlimited())).texts).toEqual([["a"]]);
});

test.each<[string, ProviderBody, object]>([
  ["breaks", readsOf([content("a")], reset), { kind: "unreachable" }],
  ["is cut within an event", readsOf([content("a"), 'data: {"choi']), { kind: "rejected" }],
  [
    "reports an error",
    readsOf([content("a"), data({ error: { code: 429 } })]),
    { kind: "rejected", meaning: "rate" },
  ],
  ["has no output", readsOf([data({ choices: [] }), "data: [DONE]\n\n"]), { kind: "rejected" }],
])("a stream that %s before it has finished fails", async (_, body, expected) => {
  await expect(forward(body, unlimited())).rejects.toMatchObject(expected);
});

test("a stream of several choices is not complete before each has finished", async () => {
  const reading = { ...readingOf(), choices: 2n };
  const { signal } = new AbortController();
  const parts = forwardChunks(readsOf([content("a", "stop")], reset), signal, reading, unlimited());
  const readAll = async () => {
    for await (const part of parts) void part;
  };
  await expect(readAll()).rejects.toMatchObject({ kind: "unreachable" });
});
