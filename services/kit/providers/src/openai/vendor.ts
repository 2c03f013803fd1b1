import { allChatParameters } from "@tollgate/catalog/provider-kind";
import { bearer } from "../bearer.ts";
import type { Vendor } from "../vendor.ts";
import { openaiRefusals } from "./errors.ts";
import { readUsageBlock } from "./usage.ts";

/** OpenAI's API, and the many that speak it: https://platform.openai.com/docs/api-reference */
export const openai: Vendor = {
  name: "openai",
  defaultBaseUrl: undefined,
  routeBaseUrls: {},
  regions: undefined,
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
  measuresUnreported: false,
  billsHourlyCacheWrites: false,
  chatParameters: allChatParameters,
  takesOtherMembers: true,
  nativeWires: new Set(["chat", "responses"]),
  variables: undefined,
  authorize: bearer,
  ...openaiRefusals,
  chat: {
    load: undefined,
    check: undefined,
    readUsageBlock,
    reportsOutputSoFar: false,
    takesLateInstructions: true,
    keepsCacheMarks: false,
  },
  json: {},
  refusedMembers: {},
  ocr: undefined,
  speech: undefined,
  transcription: undefined,
  live: undefined,
};
