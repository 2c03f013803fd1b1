import { chatModel, slot } from "./entries.ts";

const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

/** Models that agents read images and PDFs with, over three vendors. */
export const readingModels = ["test-reading-openai", "test-reading-google", "test-reading-bedrock"];

/** Models whose names Codex knows, with their own tools, and the slot of each. */
export const knownModels = {
  "gpt-6.1-sol": slot("sim", "reading"),
  "gpt-6.1-terra": slot("google", "gemini-3-flash-preview"),
  "gpt-6-sol": slot("bedrock", claude),
  "gpt-6-luna": slot("openai", "gpt-5.4"),
};

/** Models for agents that read files. */
export function agentModels() {
  const pricing = { input: "3", cache_write_1h: "6", output: "15" };
  const [openai = "", google = "", bedrock = ""] = readingModels;
  const chains: Record<string, object> = {
    [openai]: slot("sim", "reading"),
    [google]: slot("google", "gemini-3-flash-preview"),
    [bedrock]: slot("bedrock", claude),
    ...knownModels,
  };
  return Object.entries(chains).map(([alias, only]) =>
    chatModel(alias, [only], { vision: true, inputs: ["pdf"], pricing, context_tokens: 200_000 }),
  );
}
