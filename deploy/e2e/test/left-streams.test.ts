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
const chat: Call = { path: "/v1/chat/completions", members: { messages } };

/** Each chunk has 20 tokens, and takes more than this on every wire. */
const chunkBytes = 150;

interface Call {
  path: string;
  members: object;
}

function recordedOf(requestId: string | null) {
  return stack.simulator.calls.list().find((one) => one.requestId === requestId);
}

/** Each provider, how it is called, and whether it reports the output before the end. */
const calls: readonly [Reporter, Call, string][] = [
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
  { path, members }: Call,
  isEnough: (requestId: string | null, bytes: number) => boolean,
  /** What ends it. Default: the client closes its connection. */
  { end }: { end?: () => Promise<unknown> } = {},
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
  if (end === undefined) leaving.abort();
  else await end();
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
    const requestId = await leave(account, model, call, (id, bytes) => {
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

  test("is read on also where the client revokes its key, and charged as reported", async () => {
    const revoked = await newSerialAccount(stack);
    const requestId = await leave(revoked, "charge-thinks-hidden", chat, (_, bytes) => bytes > 1, {
      end: () => stack.operator.revokeKey({ keyId: revoked.keyId }),
    });
    const { entry, recorded } = await charged(revoked, requestId);
    expect(recorded).toMatchObject({ outcome: "completed", completionTokens: 3_400 });
    expect(entry).toMatchObject({ kind: "usage", basis: "provider", quantity: 3_800n });
  });

  test("is read on also where Claude thinks, and charged as reported", async () => {
    const thinking = { type: "enabled", budget_tokens: 1_024 };
    const members = { messages, max_tokens: 8_192, thinking };
    const call = { path: "/v1/messages", members };
    const requestId = await leave(account, "charge-thinks-claude", call, (_, bytes) => bytes > 1);
    const { entry, recorded } = await charged(account, requestId);
    const { promptTokens = 0, completionTokens = 0, outcome } = recorded ?? {};
    expect([outcome, completionTokens]).toEqual(["completed", 3_400]);
    const quantity = BigInt(promptTokens + completionTokens);
    expect(entry).toMatchObject({ kind: "usage", basis: "provider", quantity });
  });

  test("is read on also where the client hides it by a vendor's switch, which says nothing of others", async () => {
    const model = "charge-thinks-switched";
    const members = { messages, reasoning: { exclude: true } };
    const enough = (_: string | null, bytes: number) => bytes > 1;
    const left = await leave(account, model, { path: chat.path, members }, enough);
    const { entry } = await charged(account, left);
    expect(entry).toMatchObject({ basis: "provider", quantity: 3_800n });
    const body = { model, ...members };
    expect((await send(`${stack.url}${chat.path}`, { key: account.key, body })).status).toBe(200);
    const { recorded } = await charged(account, await thinks("switched"));
    expect(recorded?.outcome).toBe("client_disconnected");
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

describe("a client that leaves while the second slot has not responded", () => {
  async function leaveAtSecondSlot(members: object) {
    const of = await newSerialAccount(stack);
    const since = stack.simulator.calls.list().at(-1)?.seq ?? 0;
    const leaving = new AbortController();
    const sent = fetch(`${stack.url}${chat.path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${of.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "charge-second-held", messages, ...members }),
      signal: leaving.signal,
    }).catch(() => {});
    const held = await soon(() => {
      const found = stack.simulator.calls
        .list({ since })
        .find(({ model }) => model?.startsWith("held"));
      expect(found).toBeDefined();
      return found;
    });
    leaving.abort();
    await sent;
    await expectNothingInProgress(stack, of);
    stack.simulator.release();
    const { entry } = await charged(of, held?.requestId ?? null);
    await soon(() => expect(held?.outcome).not.toBe("open"));
    return { entry, recorded: held };
  }

  test("is charged for the prompt of a stream, by the tokenizer", async () => {
    const { entry, recorded } = await leaveAtSecondSlot({ stream: true });
    expect(recorded?.outcome).toBe("client_disconnected");
    expect(entry).toMatchObject({ kind: "usage", basis: "tokenized", provider: "long_timeout" });
    expect(Number(entry?.quantity) / 400).toBeGreaterThan(0.85);
    expect(Number(entry?.quantity) / 400).toBeLessThan(1.15);
  });

  test("is charged for a whole response as it is reported", async () => {
    const { entry, recorded } = await leaveAtSecondSlot({});
    const { promptTokens = 0, completionTokens = 0 } = recorded ?? {};
    expect(recorded?.outcome).toBe("completed");
    const quantity = BigInt(promptTokens + completionTokens);
    expect(entry).toMatchObject({ kind: "usage", basis: "provider", quantity });
  });
});
