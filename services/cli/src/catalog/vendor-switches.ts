/** The members of chat requests that a vendor defines itself, and where it does. */
export interface VendorSwitches {
  title: string;
  source: string;
  /** Those that cost nothing but tokens. */
  passes: readonly string[];
}

/**
 * By the names of the data set of list prices, and two that it does not have. Left out is what chooses
 * another provider or model, runs tools, or takes more of other customers: `catalog check` says why.
 */
const vendorSwitches: Readonly<Record<string, VendorSwitches>> = {
  azure: openaiSwitches(
    "Azure OpenAI",
    "https://learn.microsoft.com/azure/ai-foundry/openai/latest",
  ),
  cerebras: {
    title: "Cerebras",
    source: "https://inference-docs.cerebras.ai/api-reference/chat-completions",
    passes: ["clear_thinking", "disable_reasoning", "reasoning_format"],
  },
  dashscope: {
    title: "Qwen by DashScope",
    source:
      "https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-openai-chat-completions",
    passes: ["enable_thinking", "repetition_penalty", "thinking_budget"],
  },
  deepseek: {
    title: "DeepSeek",
    source: "https://api-docs.deepseek.com/api/create-chat-completion",
    passes: ["thinking"],
  },
  fireworks: {
    title: "Fireworks",
    source: "https://docs.fireworks.ai/api-reference/post-chatcompletions",
    passes: [
      "mirostat_lr",
      "mirostat_target",
      "reasoning_history",
      "repetition_penalty",
      "thinking",
    ],
  },
  groq: {
    title: "Groq",
    source: "https://console.groq.com/docs/api-reference#chat-create",
    passes: [
      "citation_options",
      "disable_tool_validation",
      "include_reasoning",
      "reasoning_format",
    ],
  },
  mistral: {
    title: "Mistral",
    source: "https://docs.mistral.ai/api/endpoint/chat",
    passes: ["prompt_mode", "random_seed", "safe_prompt"],
  },
  moonshotai: {
    title: "Moonshot",
    source: "https://platform.moonshot.ai/docs/api/chat",
    passes: ["prompt_cache_key", "safety_identifier", "thinking"],
  },
  openai: openaiSwitches("OpenAI", "https://platform.openai.com/docs/api-reference/chat/create"),
  openrouter: {
    title: "OpenRouter",
    source: "https://openrouter.ai/docs/api-reference/parameters",
    passes: [
      "include_reasoning",
      "reasoning",
      "repetition_penalty",
      "structured_outputs",
      "top_a",
      "transforms",
      "verbosity",
    ],
  },
  together: {
    title: "Together",
    source: "https://docs.together.ai/reference/chat-completions-1",
    passes: ["chat_template_kwargs", "reasoning", "repetition_penalty"],
  },
  vllm: {
    title: "vLLM",
    source: "https://docs.vllm.ai/en/stable/serving/openai_compatible_server/",
    passes: [
      "chat_template_kwargs",
      "guided_choice",
      "guided_grammar",
      "guided_json",
      "guided_regex",
      "include_reasoning",
      "min_tokens",
      "repetition_penalty",
      "skip_special_tokens",
      "stop_token_ids",
      "structured_outputs",
    ],
  },
  "x-ai": {
    title: "xAI",
    source: "https://docs.x.ai/developers/rest-api-reference/inference/chat-completions",
    passes: [],
  },
  zai: {
    title: "Z.ai",
    source: "https://docs.z.ai/api-reference/llm/chat-completion",
    passes: ["do_sample", "thinking", "tool_stream"],
  },
};

function openaiSwitches(title: string, source: string): VendorSwitches {
  return { title, source, passes: ["prompt_cache_key", "safety_identifier", "verbosity"] };
}

/** Returns the switches of a vendor; undefined for one that is not known. */
export function switchesOfVendor(name: string): VendorSwitches | undefined {
  return Object.hasOwn(vendorSwitches, name) ? vendorSwitches[name] : undefined;
}

/** The names of the vendors. */
export const switchedVendors: readonly string[] = Object.keys(vendorSwitches);

/** Returns the lines of a vendor's switches, as an entry of the catalog file has them. */
export function switchLines({ title, source, passes }: VendorSwitches): string[] {
  return [
    `    # ${title}: members of chat requests that cost nothing but tokens.`,
    `    # ${source}`,
    `    passes: [${passes.join(", ")}]`,
  ];
}
