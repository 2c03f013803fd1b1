import type { ChatInput } from "../src/chat-inputs.ts";
import { allChatParameters, type ProviderKind } from "../src/provider-kind.ts";

const common = {
  routeBaseUrls: {},
  regions: undefined,
  hasProjects: false,
  takesTokens: true,
  measuresUnreported: false,
  transcriptionForms: "never" as const,
  knownTranscribers: undefined,
  billsHourlyCacheWrites: false,
  chatParameters: allChatParameters,
  chatInputs: new Set<ChatInput>(["pdf", "audio"]),
  takesOtherMembers: true,
  nativeWires: new Set(["chat"] as const),
  variables: undefined,
  identity: undefined,
  authorize: () => ({}),
  refusalMessage: () => undefined,
  reportedStatus: () => undefined,
  readRefusal: () => ({}),
};

/** A kind that serves every route, at an address that its providers name. */
const open: ProviderKind = {
  ...common,
  name: "open",
  defaultBaseUrl: undefined,
  nativeWires: new Set(["chat", "responses"]),
  transcriptionForms: "optional",
  knownTranscribers: {
    formHosts: /(?:^|\.)forms\.test$/,
    tokenModels: /^tokens-/,
    secondModels: /^seconds-/,
  },
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
};

/** A kind with an address of its own, which takes text only. */
const closed: ProviderKind = {
  ...common,
  name: "closed",
  defaultBaseUrl: "https://api.closed.test/v1",
  takesTokens: false,
  measuresUnreported: true,
  billsHourlyCacheWrites: true,
  chatParameters: new Set(["tools"]),
  chatInputs: new Set<ChatInput>(["pdf"]),
  takesOtherMembers: false,
  paths: { chat: "/models/{model}:chat", embeddings: "/embed" },
};

/** A kind with regions, and with credentials in variables of its own. */
const regional: ProviderKind = {
  ...common,
  name: "regional",
  defaultBaseUrl: "https://chat.{region}.{domain}",
  routeBaseUrls: { rerank: "https://rerank.{region}.{domain}" },
  regions: {
    name: /^[a-z]+-\d$/,
    described: "a region",
    example: "east-1",
    domainOf: (region) => (region.startsWith("cn-") ? "regional.test.cn" : "regional.test"),
  },
  paths: { chat: "/chat", rerank: "/rerank" },
  variables: {
    key: "REGIONAL_KEY",
    instead: ["REGIONAL_ID", "REGIONAL_SECRET"],
    owner: "Regional",
    pattern: /^REGIONAL_/,
  },
  identity: {
    settings: {
      role: { pattern: /^role-/, described: "the name of a role" },
      extra: { pattern: /./, described: "a text", needs: "role" },
    },
    isDefault: () => false,
    isVendorAddress: () => false,
    load: async () => async () => ({ values: {}, expiresAtMs: undefined }),
  },
};

/** The kinds of a catalog in specs. */
export const testKinds = { open, closed, regional };
