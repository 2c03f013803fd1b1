import { describe, expect, test } from "vitest";
import type { Reporter } from "../src/catalog/charging.ts";
import { expectNothingInProgress, newSerialAccount } from "../src/charging/in-progress.ts";
import { soon } from "../src/charging/soon.ts";
import { entryOf } from "../src/ledger.ts";
import { send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import type { TestAccount } from "../src/stack.ts";

const { stack, account } = await sharedStack({ creditUsd: 50 });

const prompt = " the cat and the dog ran out and had fun".repeat(40);
const messages = [{ role: "user", content: prompt }];
const chat = { path: "/v1/chat/completions", members: { messages } };

/** Each chunk has 20 tokens, and takes more than this on every wire. */
const chunkBytes = 150;

function recordedOf(requestId: string | null) {
  return stack.simulator.calls.list().find((one) => one.requestId === requestId);
}

/** Each provider, how it is called, and whether it reports the output before the end. */
const calls: readonly [Reporter, { path: string; members: object }, string][] = [
  ["claude", { path: "/v1/messages", members: { messages, max_tokens: 4_096 } }, "tokenized"],
  ["claude", chat, "tokenized"],
  ["responses", { path: "/v1/responses", members: { input: prompt, store: false } }, "tokenized"],
  ["gemini", chat, "tokenized"],
  ["gemini-each", chat, "provider"],
  ["bedrock", chat, "tokenized"],
  ["vllm", chat, "provider"],
];

async function leave(
  of: TestAccount,
  model: string,
  { path, members }: typeof chat,
  isEnough: (requestId: string | null, bytes: number) => boolean,
) {
  const leaving = new AbortController();
  const response = await fetch(`${stack.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${of.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream: true, ...members }),
    signal: leaving.signal,
  });
  const requestId = response.headers.get("x-request-id");
  let bytes = 0;
  const reading = (async () => {
    for await (const chunk of response.body ?? []) bytes += chunk.byteLength;
  })();
  await soon(() => expect(isEnough(requestId, bytes), `${model} at ${path}`).toBe(true));
  leaving.abort();
  await reading.catch(() => {});
  return requestId;
}

/** Resolves with the entry of a request, and what the provider has recorded of it. */
async function charged(of: TestAccount, requestId: string | null) {
  const entry = await soon(async () => {
    const found = await entryOf(stack, of, requestId);
    expect(found).toBeDefined();
    return found;
  });
  const recorded = recordedOf(requestId);
  await soon(() => expect(recorded?.outcome).not.toBe("open"));
  return { entry, recorded };
}

test("a stream that its client leaves is charged as its provider has reported it, and the rest by the tokenizer", async () => {
  const charges = calls.map(async ([reporter, call, basis]) => {
    const model = `charge-to-${reporter}`;
    const requestId = await leave(account, model, call as typeof chat, (id, bytes) => {
      const { outcome, chunksSent = 0 } = recordedOf(id) ?? {};
      return outcome === "hung" && bytes > chunksSent * chunkBytes;
    });
    const { entry, recorded } = await charged(account, requestId);
    expect(recorded?.outcome).toBe("hung");
    const { promptTokens = 0, completionTokens = 0 } = recorded ?? {};
    const output = Number(entry?.quantity) - promptTokens;
    return { reporter, path: call.path, entry, basis, promptTokens, completionTokens, output };
  });
  for (const charge of await Promise.all(charges)) {
    const { reporter, entry, basis, promptTokens, completionTokens, output } = charge;
    const name = `${reporter} at ${charge.path}`;
    expect(entry?.basis, name).toBe(basis);
    expect(completionTokens, name).toBeGreaterThan(500);
    // OpenAI reports the prompt at the end only; others say it exactly at the start.
    const exact = reporter === "responses" || reporter === "bedrock" ? undefined : promptTokens;
    const lines = entry?.lines.filter(({ dimension }) => dimension === "input");
    if (exact !== undefined) expect(Number(lines?.[0]?.quantity), name).toBe(exact);
    expect(output / completionTokens, name).toBeGreaterThan(0.85);
    expect(output / completionTokens, name).toBeLessThan(1.15);
  }
});

describe("a stream of hidden reasoning", () => {
  const thinks = (name: string, of = account) =>
    leave(of, `charge-thinks-${name}`, chat, (_, bytes) => bytes > 1);

  test("is read on without its client, and charged as reported", async () => {
    const serial = await newSerialAccount(stack);
    const requestId = await thinks("hidden", serial);
    await expectNothingInProgress(stack, serial);
    const { entry, recorded } = await charged(serial, requestId);
    expect(recorded).toMatchObject({ outcome: "completed", completionTokens: 3_400 });
    expect(entry).toMatchObject({ kind: "usage", basis: "provider", quantity: 3_800n });
  });

  test("is charged what is held once that is used up", async () => {
    const { entry, recorded } = await charged(account, await thinks("long"));
    expect(recorded?.outcome).toBe("client_disconnected");
    // 2,048 tokens at 4 micro-USD, and a token for three bytes of the prompt at 1.
    const held = 2_048 * 4_000 + (Math.ceil(1_600 / 3) + 16) * 1_000;
    expect(entry?.basis).toBe("tokenized");
    expect(Math.abs(Number(-(entry?.amountNanoUsd ?? 0n)) / held - 1)).toBeLessThan(0.01);
  });

  test("is charged nothing where the provider breaks it", async () => {
    const { entry, recorded } = await charged(account, await thinks("breaking"));
    expect(recorded?.outcome).toBe("cut");
    expect(entry).toMatchObject({ kind: "failure", amountNanoUsd: 0n });
  });

  test("is recognized by what completed requests have shown", async () => {
    const before = await charged(account, await thinks("learnt"));
    expect(before.recorded?.outcome).toBe("client_disconnected");
    for (const model of ["charge-thinks-learnt", "charge-thinks-shown"]) {
      const { key } = account;
      const done = await send(`${stack.url}${chat.path}`, { key, body: { model, messages } });
      expect(done.status).toBe(200);
    }
    const after = await charged(account, await thinks("learnt"));
    expect(after.entry).toMatchObject({ basis: "provider", quantity: 3_800n });
    const shown = await charged(account, await thinks("shown"));
    expect(shown.recorded?.outcome).toBe("client_disconnected");
  });
});
