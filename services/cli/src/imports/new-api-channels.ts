/** The provider that a type of channel means. */
export interface ChannelType {
  name: string;
  /** The kind of the catalog. Default: `openai`, which any compatible provider is. */
  kind?: string;
  /** Where the provider is, unless the channel says it. */
  base_url?: string;
  /** What follows the channel's own address, where that has no path. */
  path?: string;
  /** The provider in the data set of list prices. */
  listed?: string;
}

const v1 = "/v1";

/**
 * By the numbers of `constant/channel.go` of new-api, October 2026. Channels of other types are not
 * carried over.
 */
export const channelTypes: Readonly<Record<number, ChannelType>> = {
  1: { name: "openai", base_url: "https://api.openai.com/v1", path: v1, listed: "openai" },
  3: { name: "azure", kind: "azure", path: "/openai/v1", listed: "azure" },
  4: { name: "ollama", base_url: "http://localhost:11434/v1", path: v1 },
  8: { name: "custom" },
  14: { name: "anthropic", kind: "anthropic", path: v1, listed: "anthropic" },
  20: {
    name: "openrouter",
    base_url: "https://openrouter.ai/api/v1",
    path: v1,
    listed: "openrouter",
  },
  24: { name: "google", kind: "google", path: "/v1beta", listed: "google" },
  25: { name: "moonshot", base_url: "https://api.moonshot.cn/v1", path: v1, listed: "moonshotai" },
  27: { name: "perplexity", base_url: "https://api.perplexity.ai", listed: "perplexity" },
  33: { name: "bedrock", kind: "bedrock", listed: "aws" },
  34: { name: "cohere", kind: "cohere", listed: "cohere" },
  38: { name: "jina", kind: "jina", path: v1 },
  40: { name: "siliconflow", base_url: "https://api.siliconflow.cn/v1", path: v1 },
  42: { name: "mistral", kind: "mistral", path: v1, listed: "mistral" },
  43: { name: "deepseek", base_url: "https://api.deepseek.com/v1", path: v1, listed: "deepseek" },
  47: { name: "xinference", path: v1 },
  48: { name: "xai", kind: "xai", path: v1, listed: "x-ai" },
};
