import {
  type ChatMember,
  chatMembers,
  type Model,
  type ProviderKind,
  type RouteType,
  routeTypes,
} from "./model.ts";

/** What all providers of one kind have in common. */
export interface KindProperties {
  /**
   * The address of a provider whose entry has none; undefined where the entry must have one. `{region}`
   * is the provider's region.
   */
  defaultBaseUrl: string | undefined;
  /** The addresses of route types that have another one than `defaultBaseUrl`. */
  routeBaseUrls?: { readonly [Type in RouteType]?: string };
  /** The route types that the kind serves, each with its default path. `{model}` is the model's id. */
  paths: { readonly [Type in RouteType]?: string };
  /** Whether its embeddings models take token ids. */
  takesTokens: boolean;
  /** The members of a chat request that a provider of the kind can be sent. */
  chatParameters: ReadonlySet<ChatMember>;
}

/** The members that the gateway sets or reads itself, and those that it refuses for all models. */
const ownMembers: ReadonlySet<ChatMember> = new Set<ChatMember>([
  "model",
  "messages",
  "stream",
  "stream_options",
  "session_id",
  "store",
  "service_tier",
]);

const allMembers = new Set(chatMembers.filter((member) => !ownMembers.has(member)));

function membersWithout(...left: readonly ChatMember[]): ReadonlySet<ChatMember> {
  return new Set([...allMembers].filter((member) => !left.includes(member)));
}

/** The properties of each kind. */
export const kindProperties: Readonly<Record<ProviderKind, KindProperties>> = {
  openai: {
    defaultBaseUrl: undefined,
    paths: {
      chat: "/chat/completions",
      embeddings: "/embeddings",
      speech: "/audio/speech",
      transcriptions: "/audio/transcriptions",
      rerank: "/rerank",
      ocr: "/ocr",
      classification: "/classification",
      images: "/images/generations",
    },
    takesTokens: true,
    chatParameters: allMembers,
  },
  azure: {
    defaultBaseUrl: undefined,
    paths: {
      chat: "/chat/completions",
      embeddings: "/embeddings",
      images: "/images/generations",
    },
    takesTokens: true,
    chatParameters: allMembers,
  },
  anthropic: {
    defaultBaseUrl: "https://api.anthropic.com/v1",
    paths: { chat: "/messages" },
    takesTokens: false,
    chatParameters: new Set<ChatMember>([
      "max_completion_tokens",
      "max_tokens",
      "temperature",
      "top_p",
      "top_k",
      "stop",
      "user",
      "parallel_tool_calls",
      "tools",
      "tool_choice",
      "response_format",
      "reasoning_effort",
      "metadata",
    ]),
  },
  google: {
    defaultBaseUrl: "https://generativelanguage.googleapis.com/v1beta",
    paths: {
      chat: "/models/{model}:generateContent",
      embeddings: "/models/{model}:batchEmbedContents",
      speech: "/models/{model}:generateContent",
      images: "/models/{model}:generateContent",
    },
    takesTokens: false,
    chatParameters: new Set<ChatMember>([
      "max_completion_tokens",
      "max_tokens",
      "temperature",
      "top_p",
      "top_k",
      "stop",
      "seed",
      "tools",
      "tool_choice",
      "response_format",
      "reasoning_effort",
    ]),
  },
  mistral: {
    defaultBaseUrl: "https://api.mistral.ai/v1",
    paths: { chat: "/chat/completions", embeddings: "/embeddings", ocr: "/ocr" },
    takesTokens: false,
    chatParameters: new Set<ChatMember>([
      "max_completion_tokens",
      "max_tokens",
      "temperature",
      "top_p",
      "frequency_penalty",
      "presence_penalty",
      "stop",
      "seed",
      "parallel_tool_calls",
      "tools",
      "tool_choice",
      "response_format",
      "reasoning_effort",
    ]),
  },
  cohere: {
    defaultBaseUrl: "https://api.cohere.com/v2",
    paths: { chat: "/chat", embeddings: "/embed", rerank: "/rerank" },
    takesTokens: false,
    chatParameters: new Set<ChatMember>([
      "max_completion_tokens",
      "max_tokens",
      "temperature",
      "top_p",
      "top_k",
      "frequency_penalty",
      "presence_penalty",
      "stop",
      "seed",
      "tools",
      "tool_choice",
      "response_format",
      "reasoning_effort",
    ]),
  },
  voyage: {
    defaultBaseUrl: "https://api.voyageai.com/v1",
    paths: { embeddings: "/embeddings", rerank: "/rerank" },
    takesTokens: false,
    chatParameters: new Set(),
  },
  jina: {
    defaultBaseUrl: "https://api.jina.ai/v1",
    paths: { embeddings: "/embeddings", rerank: "/rerank" },
    takesTokens: false,
    chatParameters: new Set(),
  },
  elevenlabs: {
    defaultBaseUrl: "https://api.elevenlabs.io/v1",
    paths: { speech: "/text-to-speech", transcriptions: "/speech-to-text" },
    takesTokens: false,
    chatParameters: new Set(),
  },
  deepgram: {
    defaultBaseUrl: "https://api.deepgram.com/v1",
    paths: { speech: "/speak", transcriptions: "/listen" },
    takesTokens: false,
    chatParameters: new Set(),
  },
  xai: {
    defaultBaseUrl: "https://api.x.ai/v1",
    paths: { chat: "/chat/completions", images: "/images/generations" },
    takesTokens: false,
    chatParameters: membersWithout("top_k", "min_p", "logit_bias", "metadata"),
  },
  bedrock: {
    defaultBaseUrl: "https://bedrock-runtime.{region}.amazonaws.com",
    routeBaseUrls: { rerank: "https://bedrock-agent-runtime.{region}.amazonaws.com" },
    paths: { chat: "/model/{model}/converse", rerank: "/rerank" },
    takesTokens: false,
    chatParameters: new Set<ChatMember>([
      "max_completion_tokens",
      "max_tokens",
      "temperature",
      "top_p",
      "stop",
      "parallel_tool_calls",
      "tools",
      "tool_choice",
      "response_format",
      "reasoning_effort",
    ]),
  },
};

/** Returns the route types that a kind serves. */
export function routeTypesOf(kind: ProviderKind): readonly RouteType[] {
  return routeTypes.filter((type) => kindProperties[kind].paths[type] !== undefined);
}

/** Returns the members of a chat request that all slots of a model take, besides those of `passes`. */
export function supportedParameters({ chain }: Pick<Model, "chain">): readonly ChatMember[] {
  const sets = chain.map(({ provider }) => kindProperties[provider.kind ?? "openai"]);
  return chatMembers.filter((member) =>
    sets.every(({ chatParameters }) => chatParameters.has(member)),
  );
}
