import { bearer } from "../bearer.ts";
import { plainVendor } from "../plain-vendor.ts";
import type { Vendor } from "../vendor.ts";
import { voyageEmbeddings } from "./embeddings.ts";
import { voyageRefusals } from "./errors.ts";
import { voyageRerank } from "./rerank.ts";

/** Voyage AI's API: https://docs.voyageai.com/reference */
export const voyage: Vendor = {
  ...plainVendor,
  name: "voyage",
  defaultBaseUrl: "https://api.voyageai.com/v1",
  paths: { embeddings: "/embeddings", rerank: "/rerank" },
  measuresUnreported: true,
  billsHourlyCacheWrites: false,
  authorize: bearer,
  ...voyageRefusals,
  json: { embeddings: voyageEmbeddings, rerank: voyageRerank },
};
