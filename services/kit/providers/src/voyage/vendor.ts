import { bearer } from "../bearer.ts";
import type { Vendor } from "../vendor.ts";
import { voyageEmbeddings } from "./embeddings.ts";
import { voyageRefusals } from "./errors.ts";
import { voyageRerank } from "./rerank.ts";

/** Voyage AI's API: https://docs.voyageai.com/reference */
export const voyage: Vendor = {
  name: "voyage",
  defaultBaseUrl: "https://api.voyageai.com/v1",
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
  ...voyageRefusals,
  chat: undefined,
  json: { embeddings: voyageEmbeddings, rerank: voyageRerank },
  refusedMembers: {},
  ocr: undefined,
  speech: undefined,
  transcription: undefined,
  live: undefined,
};
