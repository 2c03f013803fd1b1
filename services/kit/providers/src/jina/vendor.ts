import { bearer } from "../bearer.ts";
import type { Vendor } from "../vendor.ts";
import { jinaEmbeddings } from "./embeddings.ts";
import { jinaRefusals } from "./errors.ts";
import { jinaRerank } from "./rerank.ts";

/** Jina AI's API: https://api.jina.ai/redoc */
export const jina: Vendor = {
  name: "jina",
  defaultBaseUrl: "https://api.jina.ai/v1",
  routeBaseUrls: {},
  regions: undefined,
  paths: { embeddings: "/embeddings", rerank: "/rerank" },
  takesTokens: false,
  measuresUnreported: true,
  billsHourlyCacheWrites: false,
  chatParameters: new Set(),
  takesOtherMembers: false,
  nativeWires: new Set(),
  variables: undefined,
  authorize: bearer,
  ...jinaRefusals,
  chat: undefined,
  json: { embeddings: jinaEmbeddings, rerank: jinaRerank },
  refusedMembers: {},
  ocr: undefined,
  speech: undefined,
  transcription: undefined,
  live: undefined,
};
