/** What stands before the `/` of a model of LiteLLM, and the provider that it means. */
export interface LiteLlmVendor {
  /** The kind of the catalog. Default: `openai`, which any compatible provider is. */
  kind?: string;
  /** Where the provider is, unless the configuration says it. */
  base_url?: string;
  /** What follows an address of the configuration that has no path. */
  path?: string;
  /** The variable from which LiteLLM reads the key where the configuration names none. */
  api_key_env?: string;
  /** The provider in the data set of list prices. */
  listed?: string;
}

/** LiteLLM takes a model without a provider for one of OpenAI. */
export const defaultVendor = "openai";

/**
 * By the names of LiteLLM's providers, from its documentation of October 2026. What it has beside these
 * is not carried over.
 */
export const liteLlmVendors: Readonly<Record<string, LiteLlmVendor>> = {
  anthropic: { kind: "anthropic", api_key_env: "ANTHROPIC_API_KEY", listed: "anthropic" },
  azure: {
    kind: "azure",
    path: "/openai/v1",
    api_key_env: "AZURE_API_KEY",
    listed: "azure",
  },
  bedrock: { kind: "bedrock", api_key_env: "AWS_BEARER_TOKEN_BEDROCK", listed: "aws" },
  cerebras: {
    base_url: "https://api.cerebras.ai/v1",
    api_key_env: "CEREBRAS_API_KEY",
    listed: "cerebras",
  },
  cohere: { kind: "cohere", api_key_env: "COHERE_API_KEY", listed: "cohere" },
  cohere_chat: { kind: "cohere", api_key_env: "COHERE_API_KEY", listed: "cohere" },
  deepgram: { kind: "deepgram", api_key_env: "DEEPGRAM_API_KEY" },
  deepseek: {
    base_url: "https://api.deepseek.com/v1",
    api_key_env: "DEEPSEEK_API_KEY",
    listed: "deepseek",
  },
  elevenlabs: { kind: "elevenlabs", api_key_env: "ELEVENLABS_API_KEY" },
  fireworks_ai: {
    base_url: "https://api.fireworks.ai/inference/v1",
    api_key_env: "FIREWORKS_AI_API_KEY",
    listed: "fireworks",
  },
  gemini: { kind: "google", api_key_env: "GEMINI_API_KEY", listed: "google" },
  groq: {
    base_url: "https://api.groq.com/openai/v1",
    api_key_env: "GROQ_API_KEY",
    listed: "groq",
  },
  hosted_vllm: {},
  jina_ai: { kind: "jina", api_key_env: "JINA_AI_API_KEY" },
  lm_studio: {},
  mistral: { kind: "mistral", api_key_env: "MISTRAL_API_KEY", listed: "mistral" },
  moonshot: {
    base_url: "https://api.moonshot.ai/v1",
    api_key_env: "MOONSHOT_API_KEY",
    listed: "moonshotai",
  },
  ollama: { base_url: "http://localhost:11434/v1" },
  ollama_chat: { base_url: "http://localhost:11434/v1" },
  openai: {
    base_url: "https://api.openai.com/v1",
    api_key_env: "OPENAI_API_KEY",
    listed: "openai",
  },
  openai_like: {},
  openrouter: {
    base_url: "https://openrouter.ai/api/v1",
    api_key_env: "OPENROUTER_API_KEY",
    listed: "openrouter",
  },
  perplexity: {
    base_url: "https://api.perplexity.ai",
    api_key_env: "PERPLEXITYAI_API_KEY",
    listed: "perplexity",
  },
  together_ai: {
    base_url: "https://api.together.xyz/v1",
    api_key_env: "TOGETHERAI_API_KEY",
    listed: "together",
  },
  voyage: { kind: "voyage", api_key_env: "VOYAGE_API_KEY" },
  xai: { kind: "xai", api_key_env: "XAI_API_KEY", listed: "x-ai" },
};
