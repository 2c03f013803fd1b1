import { bearer } from "../bearer.ts";
import { plainVendor } from "../plain-vendor.ts";
import type { Vendor } from "../vendor.ts";
import { jinaEmbeddings } from "./embeddings.ts";
import { jinaRefusals } from "./errors.ts";
import { jinaRerank } from "./rerank.ts";

/** Jina AI's API: https://api.jina.ai/redoc */
export const jina: Vendor = {
  ...plainVendor,
  name: "jina",
  defaultBaseUrl: "https://api.jina.ai/v1",
  paths: { embeddings: "/embeddings", rerank: "/rerank" },
  measuresUnreported: true,
  billsHourlyCacheWrites: false,
  authorize: bearer,
  ...jinaRefusals,
  json: { embeddings: jinaEmbeddings, rerank: jinaRerank },
};
