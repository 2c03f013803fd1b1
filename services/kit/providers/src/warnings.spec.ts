import type { Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bedrockUnderTest,
  claude,
  cohereUnderTest,
  gemini,
  mistralUnderTest,
  vertexClaude,
  vertexGemini,
} from "../test/kinds.ts";
import { anthropicKind } from "./anthropic/chat.ts";
import { bedrockKind } from "./bedrock/chat.ts";
import { cohereKind } from "./cohere/chat.ts";
import { googleKind } from "./google/chat.ts";
import { mistralKind } from "./mistral/chat.ts";
import { vertexClaudeKind, vertexGeminiKind } from "./vertex/chat.ts";

const user = { role: "user", content: "Hi" };
const image = (url: string) => ({ type: "image_url", image_url: { url } });
const schema = {
  type: "object",
  properties: { a: { type: "string" } },
  additionalProperties: false,
};
const called = { name: "f", arguments: "{}" };
const loop = [
  user,
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c", type: "function", function: called }],
  },
  { role: "tool", tool_call_id: "c", content: "text" },
];
const conversations = [
  [user],
  [{ role: "system", content: "Be brief." }, user],
  [user, { role: "developer", content: "Be brief." }, user],
  [user, { role: "assistant", content: "Hello" }],
  loop,
  [
    ...loop.slice(0, 2),
    {
      role: "tool",
      tool_call_id: "c",
      content: [{ type: "text", text: "a" }, image("data:image/png;base64,AAAA")],
    },
    user,
  ],
  [user, { role: "assistant", content: null, reasoning_content: "Hm" }, user],
  [{ role: "user", content: [image("data:image/png;base64,AAAA"), image("https://a.test/b.png")] }],
  [{ role: "user", content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }] }],
  Array.from({ length: 5 }, () => ({
    role: "user",
    content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }],
  })),
];
/** A schema that models have no native form of, and that tools which are strict may not have. */
const open = { type: "object", properties: { a: { type: "object" } } };
const tool = (strict: boolean, parameters: object = schema) => ({
  type: "function",
  function: { name: "f", description: "F", parameters, strict },
});

const required = {
  messages: fc.constantFrom(...conversations),
  max_completion_tokens: fc.constantFrom(1, 1_000, 4_000, 500_000),
};
const optional = {
  temperature: fc.constantFrom(0, 0.5, 1, 1.5, 2),
  top_p: fc.constantFrom(0, 0.5, 1),
  top_k: fc.constantFrom(1, 40),
  seed: fc.constantFrom(0, 7),
  stop: fc.constantFrom("a", ["a", "b"]),
  frequency_penalty: fc.constantFrom(0, 1),
  presence_penalty: fc.constantFrom(0, 1),
  parallel_tool_calls: fc.boolean(),
  tools: fc.constantFrom([], [tool(true)], [tool(false)], [tool(true, open)]),
  tool_choice: fc.constantFrom("auto", "none", "required", {
    type: "function",
    function: called,
  }),
  response_format: fc.constantFrom(
    { type: "text" },
    { type: "json_object" },
    { type: "json_schema", json_schema: { name: "a", description: "A", schema } },
    { type: "json_schema", json_schema: { name: "a", schema: open } },
  ),
  reasoning_effort: fc.constantFrom("none", "minimal", "low", "medium", "high", "xhigh", "max"),
  stream: fc.boolean(),
};

/** Requests with few optional members: most of those with many are refused for one of them. */
const requests: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.record(required),
    fc.record(optional),
    fc.subarray(Object.keys(optional), { maxLength: 4 }),
  )
  .map(([given, values, names]) => {
    const kept = Object.entries(values).filter(([name]) => names.includes(name));
    return { ...given, ...Object.fromEntries(kept) };
  });

/** Returns what `check` throws. */
function refusalOf(check: () => void): unknown {
  try {
    check();
    return undefined;
  } catch (error) {
    return error;
  }
}

test.each([
  ["claude-sonnet-4-5", anthropicKind, claude],
  ["claude-opus-4-8", anthropicKind, claude],
  ["claude-opus-4-7", anthropicKind, claude],
  ["claude-haiku-4-5", anthropicKind, claude],
  ["claude-opus-5", anthropicKind, claude],
  ["claude-of-tomorrow", anthropicKind, claude],
  ["gemini-2.0-flash", googleKind, gemini],
  ["gemini-2.5-flash", googleKind, gemini],
  ["gemini-2.5-pro", googleKind, gemini],
  ["gemini-3-pro-preview", googleKind, gemini],
  ["gemini-flash-latest", googleKind, gemini],
  ["gemini-2.5-flash", vertexGeminiKind, vertexGemini],
  ["gemini-3-pro-preview", vertexGeminiKind, vertexGemini],
  ["claude-sonnet-4-5@20250929", vertexClaudeKind, vertexClaude],
  ["claude-opus-4-8", vertexClaudeKind, vertexClaude],
  ["command-a-reasoning-08-2025", cohereKind, cohereUnderTest],
  ["mistral-large-4", mistralKind, mistralUnderTest],
  ["mistral-large-latest", mistralKind, mistralUnderTest],
  ["codestral-latest", mistralKind, mistralUnderTest],
  ["zai-glm-5", mistralKind, mistralUnderTest],
  ["magistral-medium-latest", mistralKind, mistralUnderTest],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", bedrockKind, bedrockUnderTest],
  ["us.anthropic.claude-opus-4-8-v1:0", bedrockKind, bedrockUnderTest],
  ["amazon.nova-pro-v1:0", bedrockKind, bedrockUnderTest],
  ["us.amazon.nova-2-lite-v1:0", bedrockKind, bedrockUnderTest],
  ["openai.gpt-oss-120b-1:0", bedrockKind, bedrockUnderTest],
  ["us.openai.gpt-5-2", bedrockKind, bedrockUnderTest],
  ["us.anthropic.claude-haiku-4-5-20251001-v1:0", bedrockKind, bedrockUnderTest],
  ["anthropic.claude-opus-5-v1:0", bedrockKind, bedrockUnderTest],
  ["meta.llama3-70b-instruct-v1:0", bedrockKind, bedrockUnderTest],
])("whatever the package of %s warns of has been refused by name", async (model, kind, {
  adapter,
  vendor,
  response,
  isHarmless,
}) => {
  const fetch = async () => Response.json(response);
  const slot = { upstreamModel: model, provider: { name: "p", kind: vendor } } as unknown as Slot;
  let sent = 0;
  const property = fc.asyncProperty(requests, async (request) => {
    const refusal = refusalOf(() => adapter.check(slot, request));
    if (refusal !== undefined) {
      expect(refusal).toBeInstanceOf(GatewayError);
      expect(refusal).toMatchObject({ code: "invalid_param", param: expect.any(String) });
      return;
    }
    sent += 1;
    const options = kind.callOptions(model, request);
    const { warnings } = await kind.createModel(model, fetch).doGenerate(options);
    expect(warnings.filter((warning) => isHarmless?.(warning) !== true)).toEqual([]);
  });
  await fc.assert(property, { numRuns: 300 });
  expect(sent).toBeGreaterThan(20);
});
