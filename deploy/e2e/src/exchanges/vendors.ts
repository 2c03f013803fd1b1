import type { ExchangeWire } from "./exchange-wire.ts";

/** What the catalog says of a vendor, and how the exchanges reach it. */
interface VendorEntry {
  /** Default: `openai`. */
  readonly kind?: string;
  /** Of the simulator's route. Default: `/v1`. */
  readonly path?: string;
  /** The model of exchanges that name none. */
  readonly model: string;
  /** Further members of the provider's entry. */
  readonly provider?: object;
  /** The wires of exchanges that name none. Default: those of their requests. */
  readonly wires?: readonly ExchangeWire[];
}

const entries = {
  openai: { model: "gpt-5.1" },
  // OpenAI's Responses API.
  "openai-responses": {
    model: "gpt-5.1",
    provider: { responses: true },
    wires: ["responses"],
  },
  azure: { kind: "azure", path: "/azure/openai/v1", model: "gpt-4.1" },
  openrouter: { model: "deepseek/deepseek-r1" },
  groq: { model: "openai/gpt-oss-120b" },
  together: { model: "deepseek-ai/DeepSeek-V3.1" },
  fireworks: { model: "accounts/fireworks/models/kimi-k2-instruct" },
  deepseek: { model: "deepseek-reasoner" },
  moonshot: { model: "kimi-k2-thinking" },
  qwen: { model: "qwen3-max" },
  zai: { model: "glm-4.6" },
  perplexity: { model: "sonar-pro" },
  cerebras: { model: "gpt-oss-120b" },
  ollama: { model: "qwen3:8b" },
  vllm: { model: "Qwen/Qwen3-8B" },
  llamacpp: { model: "gpt-oss-20b" },
  lmstudio: { model: "openai/gpt-oss-20b" },
  // Gemini's endpoint of OpenAI's wire.
  "gemini-openai": { model: "gemini-2.5-flash" },
  anthropic: { kind: "anthropic", model: "claude-sonnet-4-5" },
  google: { kind: "google", path: "/google/v1beta", model: "gemini-2.5-flash" },
  bedrock: {
    kind: "bedrock",
    path: "/bedrock",
    model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    provider: { region: "us-east-1" },
  },
  mistral: { kind: "mistral", path: "/mistral/v1", model: "mistral-large-2512" },
  cohere: { kind: "cohere", path: "/cohere/v2", model: "command-a-03-2025" },
  xai: { kind: "xai", path: "/xai/v1", model: "grok-3-mini" },
} satisfies Record<string, VendorEntry>;

/** The name of a vendor, and of its folder. */
export type ExchangeVendor = keyof typeof entries;

export const exchangeVendors: Readonly<Record<ExchangeVendor, VendorEntry>> = entries;
