import type { Slot } from "@tollgate/catalog/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import { claudePrices, measured, openAi, slotAt, vllm } from "../../test/usage-prices.ts";

test("a tool without a price is recorded at zero, and at most sixteen tools are", () => {
  const server_tool_use = {
    web_search_requests: 2,
    web_fetch_requests: 3,
    bad_requests: -1,
    "Odd Name_requests": 1,
  };
  const block = { input_tokens: 0, output_tokens: 0, server_tool_use };
  expect(measured(block, slotAt(claudePrices, "anthropic")).lines.slice(2)).toEqual([
    { dimension: "tool:web_search", quantity: 2n, price: { picoUsd: 10n ** 10n, per: 1n } },
    { dimension: "tool:web_fetch", quantity: 3n, price: { picoUsd: 0n, per: 1n } },
  ]);
  const many = Array.from({ length: 99 }, (_, index) => [`t${"x".repeat(index)}_requests`, 1]);
  const used = { ...block, server_tool_use: Object.fromEntries(many) };
  expect(measured(used, slotAt(claudePrices, "anthropic")).usage.toolCalls).toHaveLength(16);
});

test("whatever a provider counts, no line is negative and the tokens sum to their totals", () => {
  const count = fc.oneof(fc.integer({ min: -5, max: 300 }), fc.constantFrom(null, "5", 1.5, {}));
  const members = (...names: string[]) =>
    fc.record(Object.fromEntries(names.map((name) => [name, count])), { requiredKeys: [] });
  const total = fc.nat({ max: 200 });
  const prompt = members("cached_tokens", "cache_write_tokens", "audio_tokens");
  const completion = members("reasoning_tokens", "audio_tokens");
  const audio = fc.array(
    fc.record({ modality: fc.constantFrom("TEXT", "AUDIO"), tokenCount: count }),
  );
  const lifetimes = members("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens");
  const ofOpenAi = fc.record({
    prompt_tokens: total,
    completion_tokens: total,
    prompt_cache_hit_tokens: count,
    num_cached_tokens: count,
    prompt_tokens_details: prompt,
    completion_tokens_details: completion,
  });
  const ofAnthropic = fc.record({
    input_tokens: total,
    output_tokens: total,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
    cache_creation: lifetimes,
  });
  const ofGoogle = fc.record({
    promptTokenCount: total,
    candidatesTokenCount: count,
    totalTokenCount: count,
    cachedContentTokenCount: count,
    thoughtsTokenCount: count,
    toolUsePromptTokenCount: count,
    promptTokensDetails: audio,
    cacheTokensDetails: audio,
    candidatesTokensDetails: audio,
  });
  const reported = fc.oneof(
    fc.record({
      kind: fc.constantFrom("openai" as const, "xai" as const, "mistral" as const),
      block: ofOpenAi,
    }),
    fc.record({ kind: fc.constant("anthropic" as const), block: ofAnthropic }),
    fc.record({ kind: fc.constant("google" as const), block: ofGoogle }),
  );
  const kinds = ["openai", "xai", "mistral", "anthropic", "google"] as const;
  const priced = (pricing: Record<string, unknown>, kind: string) =>
    kind === "anthropic" ? { cache_write_1h: "6", ...pricing } : pricing;
  const slots = [openAi, claudePrices, vllm].map(
    (pricing) => new Map(kinds.map((kind) => [kind, slotAt(priced(pricing, kind), kind)])),
  );
  fc.assert(
    fc.property(reported, fc.constantFrom(...slots), ({ kind, block }, slotOf) => {
      const { usage, lines } = measured(block, slotOf.get(kind) as Slot);
      expect(lines.every(({ quantity }) => quantity >= 0n)).toBe(true);
      const sum = lines.reduce((tokens, { quantity }) => tokens + quantity, 0n);
      expect(sum).toBe(usage.promptTokens + usage.completionTokens);
    }),
  );
});
