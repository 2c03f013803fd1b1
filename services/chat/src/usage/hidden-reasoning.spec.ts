import type { Model, Slot } from "@tollgate/catalog/model";
import { vendors } from "@tollgate/providers";
import { expect, test } from "vitest";
import { HiddenReasoning } from "./hidden-reasoning.ts";
import { countedUsage } from "./usage.ts";

function slotOf(kind: keyof typeof vendors, more = {}): Slot {
  return { id: `p/${kind}`, provider: { kind: vendors[kind], ...more } } as unknown as Slot;
}

function modelOf(reasoning: Model["reasoning"], ...chain: Slot[]) {
  return { reasoning, chain } as unknown as Model;
}

const thought = { ...countedUsage(1n, 9n), reasoningTokens: 8n };

test("a slot hides reasoning once a completed call had tokens of it and no text", () => {
  const hidden = new HiddenReasoning();
  const slot = slotOf("openai");
  hidden.learn(slot, countedUsage(1n, 9n), false);
  hidden.learn(slot, thought, true);
  expect(hidden.isIn(modelOf(undefined, slot))).toBe(false);
  hidden.learn(slot, thought, false);
  hidden.learn(slot, thought, true);
  expect(hidden.isIn(modelOf(undefined, slotOf("mistral"), slot))).toBe(true);
  expect(hidden.isIn(modelOf("shown", slot))).toBe(false);
});

test("the catalog says it for all slots, but for those that report their output as they go", () => {
  const hidden = new HiddenReasoning();
  expect(hidden.isIn(modelOf("hidden", slotOf("openai")))).toBe(true);
  expect(hidden.isIn(modelOf("hidden", slotOf("google")))).toBe(false);
  expect(hidden.isIn(modelOf("hidden", slotOf("openai", { continuousUsage: true })))).toBe(false);
});
