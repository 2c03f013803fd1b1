import { expect, test } from "vitest";
import type { Reporter } from "../src/catalog/charging.ts";
import { soon } from "../src/charging/soon.ts";
import { entryOf } from "../src/ledger.ts";
import { sharedStack } from "../src/shared-stack.ts";
import type { Account } from "../src/stack.ts";

const { stack, account } = await sharedStack({ creditUsd: 50 });

const prompt = " the cat and the dog ran out and had fun".repeat(40);
const messages = [{ role: "user", content: prompt }];
const chat = { path: "/v1/chat/completions", members: { messages } };

/** A client leaves once it has received this much, about a third of what the provider generates. */
const middleBytes = 20_000;

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

async function leaveInTheMiddle(of: Account, reporter: Reporter, { path, members }: typeof chat) {
  const leaving = new AbortController();
  const response = await fetch(`${stack.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${of.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: `charge-to-${reporter}`, stream: true, ...members }),
    signal: leaving.signal,
  });
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > middleBytes) break;
  }
  leaving.abort();
  expect(bytes, `${reporter} at ${path}`).toBeGreaterThan(middleBytes);
  return response.headers.get("x-request-id");
}

test("a stream that its client leaves is charged as its provider has reported it, and the rest by the tokenizer", async () => {
  const charges = calls.map(async ([reporter, call, basis]) => {
    const requestId = await leaveInTheMiddle(account, reporter, call as typeof chat);
    const recorded = stack.simulator.calls.list().find((one) => one.requestId === requestId);
    const entry = await soon(async () => {
      const found = await entryOf(stack, account, requestId);
      expect(found).toBeDefined();
      return found;
    });
    expect(recorded?.outcome).toBe("client_disconnected");
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
