import type { Catalog, Model } from "@tollgate/catalog/model";
import { expect, test } from "vitest";
import { hidesReasoning, reasoningWarnings } from "./hidden-reasoning-models.ts";

test.each([
  ["o1", true],
  ["o3-mini-2025-01-31", true],
  ["o4-mini", true],
  ["openai/gpt-5", true],
  ["gpt-5.4-mini", true],
  ["gpt-5-codex", true],
  ["grok-4-0709", true],
  ["claude-opus-5-5", true],
  ["us.anthropic.claude-sonnet-5-20260601-v1:0", true],
  ["anthropic/claude-haiku-5.5", true],
  ["claude-fable-5-2", true],
  ["claude-mythos-preview", true],
  ["claude-opus-4-8", false],
  ["claude-3-5-sonnet-20241022", false],
  ["gpt-5-chat-latest", false],
  ["gpt-4o", false],
  ["gpt-oss-120b", false],
  ["grok-4-fast-non-reasoning", false],
  ["grok-3-mini", false],
  ["o1x", false],
  ["claude-opus-4-5", false],
  ["llama-o1o", false],
])("%s is known to hide reasoning: %s", (name, expected) => {
  expect(hidesReasoning(name)).toBe(expected);
});

test("a chat model of such a family is warned of where it does not say whether it hides reasoning", () => {
  const modelOf = (alias: string, upstreamModel: string, more = {}) =>
    ({
      alias,
      routeType: "chat",
      chain: [{ id: `p/${upstreamModel}`, upstreamModel }],
      ...more,
    }) as unknown as Model;
  const models = [
    modelOf("says", "o3", { reasoning: "hidden" }),
    modelOf("denies", "o3", { reasoning: "shown" }),
    modelOf("other", "gpt-4o"),
    modelOf("misses", "gpt-5"),
  ];
  const catalog = {
    models: new Map(models.map((model) => [model.alias, model])),
  } as unknown as Catalog;
  expect(reasoningWarnings(catalog)).toEqual([
    expect.stringMatching(/^misses: p\/gpt-5 bills .*hidden/),
  ]);
});
