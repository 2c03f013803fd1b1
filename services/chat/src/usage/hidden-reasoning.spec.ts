import type { Model, Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { vendors } from "@tollgate/providers";
import { expect, test } from "vitest";
import { ClientRequest } from "../wires/client-request.ts";
import { HiddenReasoning, hasSwitch } from "./hidden-reasoning.ts";
import { countedUsage } from "./usage.ts";

function slotOf(kind: keyof typeof vendors, more = {}): Slot {
  return { id: `p/${kind}`, provider: { kind: vendors[kind], ...more } } as unknown as Slot;
}

function clientOf(body: string): ClientRequest {
  const call = { body: Buffer.from(body) } as unknown as ChatCall;
  return new ClientRequest(call, () => JSON.parse(body) as JsonObject, new Set());
}

function requestTo(reasoning: Model["reasoning"], ...chain: Slot[]) {
  const model = { reasoning, chain, passes: new Set<string>() } as unknown as Model;
  return { model, translated: new Map<Slot, JsonObject>(), client: clientOf("{}") };
}

const thought = { ...countedUsage(1n, 9n), reasoningTokens: 8n };

test("a slot hides reasoning once a completed call had tokens of it and no text", () => {
  const hidden = new HiddenReasoning();
  const slot = slotOf("openai");
  hidden.learn(slot, countedUsage(1n, 9n), false);
  hidden.learn(slot, thought, true);
  expect(hidden.isIn(requestTo(undefined, slot))).toBe(false);
  hidden.learn(slot, thought, false);
  hidden.learn(slot, thought, true);
  expect(hidden.isIn(requestTo(undefined, slotOf("mistral"), slot))).toBe(true);
  expect(hidden.isIn(requestTo("shown", slot))).toBe(false);
});

test("the catalog says it for all slots, but for those that report their output as they go", () => {
  const hidden = new HiddenReasoning();
  expect(hidden.isIn(requestTo("hidden", slotOf("openai")))).toBe(true);
  expect(hidden.isIn(requestTo("hidden", slotOf("google")))).toBe(false);
  expect(hidden.isIn(requestTo("hidden", slotOf("openai", { continuousUsage: true })))).toBe(false);
});

test.each<[keyof typeof vendors, string, boolean]>([
  ["anthropic", '{"thinking":{"type":"adaptive","display":"omitted"}}', true],
  ["anthropic", '{"th\\u0069nking":{"type":"enabled"}}', true],
  ["anthropic", '{"thinking":{"type":"disabled"}}', false],
  ["anthropic", '{"messages":[{"content":"thinking"}]}', false],
  ["openai", '{"thinking":{"type":"enabled"}}', false],
])("thinking of %s that is switched on by %s is hidden: %s", (kind, body, expected) => {
  const request = { ...requestTo("shown", slotOf(kind)), client: clientOf(body) };
  expect(new HiddenReasoning().isIn(request)).toBe(expected);
});

test("so is an effort of a request that is translated", () => {
  const slot = slotOf("bedrock");
  const isHidden = (chat: JsonObject) =>
    new HiddenReasoning().isIn({
      ...requestTo(undefined, slot),
      translated: new Map([[slot, chat]]),
    });
  expect(isHidden({ reasoning_effort: "low" })).toBe(true);
  expect(isHidden({ reasoning_effort: "none" })).toBe(false);
  expect(isHidden({})).toBe(false);
});

test.each([
  ['{"reasoning":{"exclude":true}}', true],
  ['{"include_reasoning":false}', true],
  ['{"top_a":1,"messages":[{"content":"reasoning"}]}', false],
])("a member that the model passes may hide reasoning, of its request alone: %s", (body, expected) => {
  const passes = new Set(["reasoning", "include_reasoning", "top_a"]);
  const { model, ...request } = requestTo("shown", slotOf("openai"));
  const passing = { ...model, passes };
  const client = clientOf(body);
  expect(new HiddenReasoning().isIn({ ...request, model: passing, client })).toBe(expected);
  expect(hasSwitch(passing, client)).toBe(expected);
  expect(hasSwitch(model, client)).toBe(false);
});
