import { switches, toolSwitches } from "@tollgate/catalog/allowances";
import { chatModel, imageModel, slot } from "./entries.ts";

/** Models of a provider that speaks Anthropic's wire. */
export function claudeModels() {
  const pricing = {
    input: "3",
    cached_input: "0.30",
    cache_write: "3.75",
    cache_write_1h: "6",
    output: "15",
  };
  const claude = (alias: string, chain: object[]) =>
    chatModel(alias, chain, { vision: true, pricing });
  const named = (commands: string) => slot("claude", `claude-sonnet-4-5${commands}`);
  const second = { ...slot("sim", "second"), pricing: { input: "1", output: "2" } };
  return [
    claude("test-claude", [named("")]),
    claude("test-claude-parallel", [named("?calls=3")]),
    claude("test-claude-cached", [named("?usage=100,40&cached=600,150,50")]),
    claude("test-claude-refusing", [named("?refusal")]),
    claude("test-claude-cut", [named("?cut_after=2")]),
    claude("test-claude-erring", [named("?error_event=2&gap_ms=20")]),
    claude("test-claude-long", [named("?tokens=3900&chunks=39&gap_ms=25")]),
    claude("test-claude-slow", [named("?chunks=200&gap_ms=50")]),
    claude("test-claude-overloaded", [named("?status=529"), second]),
    claude("test-claude-erring-first", [named("?error_event=0"), second]),
    claude("test-claude-invalid", [named("?status=400&message=prompt%20is%20too%20long")]),
  ];
}

/** Models of a provider that speaks OpenAI's Responses API, too. */
export function responsesModels() {
  const pricing = { input: "3", cached_input: "0.30", output: "15" };
  const gpt = (alias: string, chain: object[]) =>
    chatModel(alias, chain, { vision: true, pricing });
  const named = (commands: string) => slot("openai", `gpt-5.4${commands}`);
  const second = { ...slot("sim", "second"), pricing: { input: "1", output: "2" } };
  return [
    gpt("test-gpt", [named("")]),
    gpt("test-gpt-cached", [named("?usage=700,40&cached=600,0,0")]),
    gpt("test-gpt-cut", [named("?cut_after=2")]),
    gpt("test-gpt-failed", [named("?chunks=9&gap_ms=5&response_failed=2")]),
    gpt("test-gpt-failed-first", [named("?response_failed=0"), second]),
    gpt("test-gpt-down", [named("?status=503"), second]),
    gpt("test-gpt-limited", [named("?status=429"), second]),
    gpt("test-gpt-invalid", [
      named("?status=400&message=Your%20input%20exceeds%20the%20context%20window"),
    ]),
    ...searchingModels(),
    gpt("test-gpt-long", [named("?tokens=3900&chunks=39&gap_ms=25")]),
    gpt("test-gpt-slow", [named("?chunks=200&gap_ms=50")]),
  ];
}

/** Models that search the web three times, as OpenAI and xAI report it, and without a report. */
function searchingModels() {
  const pricing = { input: "3", output: "15", "tool:web_search": "0.01", "tool:x_search": "0.02" };
  const details = { web_search_calls: 3, x_search_calls: 2, code_interpreter_calls: 0 };
  const counts = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const block = { ...counts, server_side_tool_usage_details: details };
  const ends = {
    reported: "",
    "xai-reported": `&usage_block=${encodeURIComponent(JSON.stringify(block))}`,
    unreported: "&no_usage",
    slow: "&chunks=200&gap_ms=50",
  };
  return Object.entries(ends).map(([name, commands]) =>
    chatModel(`test-gpt-searching-${name}`, [slot("openai", `gpt-5.4?searches=3${commands}`)], {
      pricing,
      allows: ["web_search"],
    }),
  );
}

/** For each switch of `allows`, a model of each agents' wire that allows nothing else. */
export function allowingModels() {
  const prices = [...toolSwitches].map((name) => [`tool:${name}`, "0.01"]);
  const own = { input: "3", cache_write_1h: "6", output: "15" };
  const pricing = { ...own, ...Object.fromEntries(prices) };
  const wires = [slot("claude", "claude-sonnet-4-5"), slot("openai", "gpt-5.4")];
  return wires.flatMap((native) =>
    [...switches, "beta:unseen-2026-11-01", "member:unseen"].map((allowed) =>
      chatModel(`test-allows-${native.provider}-${allowed}`, [native], {
        pricing,
        vision: true,
        allows: allowed === "file_search" ? [allowed, "stored"] : [allowed],
      }),
    ),
  );
}

/** Models of a provider that speaks Mistral's wire. */
export function mistralModels() {
  const pricing = { input: "1", cached_input: "0.10", output: "4" };
  const mistral = (alias: string, chain: object[]) =>
    chatModel(alias, chain, { vision: true, pricing });
  const named = (commands: string) => slot("mistral", `mistral-large-4${commands}`);
  const second = { ...slot("sim", "second"), pricing: { input: "1", output: "2" } };
  return [
    mistral("test-mistral", [named("")]),
    mistral("test-mistral-thinking", [slot("mistral", "magistral-medium-latest")]),
    mistral("test-mistral-cached", [named("?usage=700,40&cached=600,0,0")]),
    mistral("test-mistral-erring", [named("?error_event=2")]),
    mistral("test-mistral-failed", [named("?malformed_call"), second]),
    mistral("test-mistral-erring-first", [named("?error_event=0"), second]),
  ];
}

/** Models of a provider that speaks Cohere's wire. */
export function cohereModels() {
  const pricing = { input: "1", cached_input: "0.10", output: "4" };
  const cohere = (alias: string, chain: object[]) =>
    chatModel(alias, chain, { vision: true, pricing });
  const named = (commands: string) => slot("cohere", `command-a-reasoning-08-2025${commands}`);
  const second = { ...slot("sim", "second"), pricing: { input: "1", output: "2" } };
  return [
    cohere("test-cohere", [named("")]),
    cohere("test-cohere-cached", [named("?usage=700,40&cached=600,0,0")]),
    cohere("test-cohere-failed", [named("?malformed_call"), second]),
  ];
}

/** Models of a provider that speaks Gemini's wire. */
export function geminiModels() {
  const pricing = { input: "1", cached_input: "0.10", output: "4", reasoning: "5" };
  const gemini = (alias: string, chain: object[]) =>
    chatModel(alias, chain, { vision: true, pricing });
  const named = (commands: string) => slot("google", `gemini-2.5-flash${commands}`);
  const second = { ...slot("sim", "second"), pricing: { input: "1", output: "2" } };
  return [
    gemini("test-gemini", [named("")]),
    gemini("test-gemini-3", [slot("google", "gemini-3-flash-preview")]),
    gemini("test-gemini-parallel", [slot("google", "gemini-3-flash-preview?calls=3")]),
    gemini("test-gemini-cached", [named("?usage=700,40&cached=600,0,0")]),
    gemini("test-gemini-refusing", [named("?refusal")]),
    gemini("test-gemini-blocked", [named("?blocked")]),
    gemini("test-gemini-erring", [named("?error_event=2")]),
    gemini("test-gemini-slow", [named("?chunks=200&gap_ms=50")]),
    gemini("test-gemini-overloaded", [named("?status=503"), second]),
    gemini("test-gemini-limited", [named("?status=429"), second]),
    gemini("test-gemini-malformed", [named("?malformed_call"), second]),
    gemini("test-gemini-erring-first", [named("?error_event=0"), second]),
    gemini("test-gemini-invalid", [
      named("?status=400&message=The%20input%20token%20count%20(9)%20exceeds%20the%20maximum"),
    ]),
    gemini("test-gemini-after-claude", [
      {
        ...slot("claude", "claude-sonnet-4-5?status=529"),
        pricing: { ...pricing, cache_write_1h: "2" },
      },
      slot("google", "gemini-3-flash-preview"),
    ]),
  ];
}

/** Models of xAI, which speaks OpenAI's wire with less members and another usage. */
export function grokModels() {
  const pricing = { input: "3", cached_input: "0.75", output: "15" };
  const grok = (alias: string, chain: object[]) =>
    chatModel(alias, chain, { vision: true, pricing });
  const named = (commands: string) => slot("xai", `grok-4-0709${commands}`);
  return [
    grok("test-grok", [named("")]),
    grok("test-grok-plain", [slot("xai", "grok-4-fast-non-reasoning")]),
    { ...imageModel("test-grok-image", ""), chain: [slot("xai", "grok-2-image")] },
  ];
}

/** Models of Amazon Bedrock. */
export function bedrockModels() {
  const pricing = {
    input: "3",
    cached_input: "0.30",
    cache_write: "3.75",
    cache_write_1h: "6",
    output: "15",
  };
  const bedrock = (alias: string, chain: object[]) =>
    chatModel(alias, chain, { vision: true, pricing });
  const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
  const named = (commands: string) => slot("bedrock", `${claude}${commands}`);
  const second = { ...slot("sim", "second"), pricing: { input: "1", output: "2" } };
  return [
    bedrock("test-bedrock", [named("")]),
    bedrock("test-bedrock-key", [slot("bedrock_key", claude)]),
    bedrock("test-bedrock-nova", [slot("bedrock", "amazon.nova-pro-v1:0")]),
    bedrock("test-bedrock-parallel", [named("?calls=3")]),
    bedrock("test-bedrock-cached", [named("?usage=100,40&cached=600,150,50")]),
    bedrock("test-bedrock-refusing", [named("?refusal")]),
    bedrock("test-bedrock-truncated", [named("?truncate_after=2")]),
    bedrock("test-bedrock-corrupt", [named("?garbage"), second]),
    bedrock("test-bedrock-throttled", [named("?error_event=2")]),
    bedrock("test-bedrock-trickling", [named("?trickle_ms=1")]),
    bedrock("test-bedrock-down", [named("?status=503"), second]),
    bedrock("test-bedrock-limited", [named("?status=429"), second]),
    bedrock("test-bedrock-failed", [named("?status=424"), second]),
    bedrock("test-bedrock-malformed", [named("?malformed_call"), second]),
    bedrock("test-bedrock-throttled-first", [named("?error_event=0"), second]),
    bedrock("test-bedrock-truncated-first", [named("?truncate_after=0"), second]),
    bedrock("test-bedrock-invalid", [named("?status=400&message=malformed%20input"), second]),
    bedrock("test-bedrock-long", [named("?status=400&message=prompt%20is%20too%20long"), second]),
    bedrock("test-bedrock-denied", [named("?status=403&message=no%20access%20for%20arn"), second]),
    bedrock("test-bedrock-after-claude", [
      slot("claude", "claude-sonnet-4-5?status=529"),
      named(""),
    ]),
  ];
}
