import { create } from "@bufbuild/protobuf";
import type { Model, Pricing, Slot } from "@tollgate/catalog/model";
import { parsePicoUsd } from "@tollgate/core/money";
import { Admission, CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import { ChatCallSchema } from "@tollgate/proto/tollgate/v1/chat";
import { expect, test } from "vitest";
import { ceilingOf, planHold } from "./hold-plan.ts";

const usd = (text: string) => ({ picoUsd: parsePicoUsd(text) ?? 0n, per: 1_000_000n });
const pricing: Pricing = {
  unitType: "tokens",
  input: usd("5"),
  cached_input: usd("0.50"),
  output: usd("25"),
};
const slot = { pricing } as Slot;
const model = { pricing, maxOutputTokens: 32_000, chain: [slot] } as unknown as Model;

/** An agent's call with 400 KB of prompt. */
function agentCall(admission: Admission, maxTokens?: bigint) {
  return create(ChatCallSchema, {
    caller: create(CallerSchema, { admission }),
    choices: 1,
    prompt: { textBytes: 400_000n, messages: 1 },
    ...(maxTokens === undefined ? {} : { maxTokens }),
  });
}

test.each([
  ["strict", Admission.STRICT, true, 2_800_080_000n],
  ["whole", Admission.WHOLE, false, 2_800_080_000n],
  ["likely, a JSON response", Admission.LIKELY, false, 1_466_750_000n],
  ["likely, a stream", Admission.LIKELY, true, 717_950_000n],
  ["a caller without a policy, a stream", Admission.UNSPECIFIED, true, 717_950_000n],
])("what is held for an agent's call: %s", (_, admission, isStream, estimate) => {
  const call = agentCall(admission);
  expect(planHold(call, model, call.prompt, isStream)).toMatchObject({ estimate });
});

test.each([
  ["strict", Admission.STRICT],
  ["likely", Admission.LIKELY],
])("less than half of the prompt is held only alone: %s", (_, admission) => {
  const call = agentCall(admission);
  const { aloneBelow } = planHold(call, model, call.prompt, true);
  // Half of its 133,350 likely tokens, and a token of output.
  expect(aloneBelow).toBe(333_375_000n + 25_000n);
});

test("the price of writing to a cache is held where the most is, and not where the likely is", () => {
  const prices = { ...pricing, cache_write_1h: usd("10") };
  const writing = { ...model, chain: [{ ...slot, pricing: prices }] };
  const estimateOf = (admission: Admission) =>
    planHold(agentCall(admission), writing, undefined, true).estimate;
  expect(estimateOf(Admission.LIKELY)).toBe(717_950_000n);
  expect(estimateOf(Admission.STRICT)).toBe(4_800_160_000n);
});

test("tools that the provider runs are held: one call, or as many as the request allows", () => {
  const noPrompt = { textBytes: 0n, messages: 0, imageParts: 0 };
  const tools = new Map([["web_search", { picoUsd: 10_000_000_000n, per: 1n }]]);
  const priced = { ...model, chain: [{ ...slot, pricing: { ...pricing, tools } }] };
  const held = (admission: Admission, maxCalls?: bigint) => {
    const offered = [{ tool: "web_search", maxCalls }];
    return planHold(agentCall(admission, 100n), priced, noPrompt, false, offered).estimate;
  };
  expect(held(Admission.LIKELY)).toBe(12_500_000n);
  expect(held(Admission.LIKELY, 0n)).toBe(2_500_000n);
  expect(held(Admission.WHOLE)).toBe(102_500_000n);
  expect(held(Admission.WHOLE, 3n)).toBe(32_500_000n);
});

test("a stream with a low output limit holds that limit", () => {
  const call = agentCall(Admission.LIKELY, 100n);
  const noPrompt = { textBytes: 0n, messages: 0, imageParts: 0 };
  expect(planHold(call, model, noPrompt, true).estimate).toBe(2_500_000n);
});

test("a stream's provider is sent what the balance pays for, not what is held", () => {
  const call = agentCall(Admission.LIKELY);
  const plan = planHold(call, model, call.prompt, true);
  const ceiling = (walletBalance: bigint | undefined) =>
    ceilingOf(plan, slot, { held: 1_000n, walletBalance });
  expect(ceiling(undefined)).toBe(32_000n);
  expect(ceiling(5_000_000_000n)).toBe(32_000n);
  // Half of the prompt's likely tokens cost $0.333375.
  expect(ceiling(433_375_000n)).toBe(4_000n);
  expect(ceiling(1_000n)).toBe(1n);
  const strict = planHold(agentCall(Admission.STRICT), model, call.prompt, true);
  expect(ceilingOf(strict, slot, { held: 2_100_080_000n, walletBalance: undefined })).toBe(4_000n);
});

test("a JSON response that is held in full keeps its output limit, whatever its highest price", () => {
  const prices = { ...pricing, cache_write_1h: usd("10"), reasoning: usd("50") };
  const writing = { ...model, chain: [{ ...slot, pricing: prices }] };
  const call = agentCall(Admission.LIKELY);
  const plan = planHold(call, writing, call.prompt, false);
  const ceiling = (held: bigint) =>
    ceilingOf(plan, writing.chain[0] as Slot, { held, walletBalance: undefined });
  expect(ceiling(plan.estimate)).toBe(32_000n);
  // The prompt is held at $5, and the output at $25.
  expect(ceiling(plan.estimate - 100_000_000n)).toBe(28_000n);
});

test("a stream's limit does not shrink for tokens that its prompt may not have", () => {
  const prices = { ...pricing, audio_input: usd("80") };
  const speaking = { ...model, chain: [{ ...slot, pricing: prices }] };
  const call = agentCall(Admission.LIKELY);
  const plan = planHold(call, speaking, call.prompt, true);
  const held = { held: plan.estimate, walletBalance: 433_375_000n };
  expect(ceilingOf(plan, speaking.chain[0] as Slot, held)).toBe(4_000n);
});

test("pages and seconds of audio are held, audio at its own price", () => {
  const audio_input = usd("100");
  const model = {
    pricing,
    maxOutputTokens: 100,
    pageTokens: 2_000,
    audioTokensPerSecond: 10,
    chain: [{ pricing: { ...pricing, audio_input } }],
  } as unknown as Model;
  const prompt = { textBytes: 0n, messages: 0, imageParts: 0, pages: 3, audioSeconds: 60 };
  const { bound, estimate } = planHold(agentCall(Admission.LIKELY), model, prompt, false);
  expect(bound).toMatchObject({ promptTokens: 6_600n, audioTokens: 600n });
  // 6,000 tokens at 5, 600 at 100 and 100 at 25 USD per million.
  expect(estimate).toBe(30_000_000n + 60_000_000n + 2_500_000n);
});

test("no more is held for documents than the model's context", () => {
  const prompt = { textBytes: 0n, messages: 0, imageParts: 0, pages: 100 };
  const large = { ...model, contextTokens: 128_000 };
  const { bound } = planHold(agentCall(Admission.STRICT), large, prompt, false);
  expect(bound.promptTokens).toBe(128_000n);
});
