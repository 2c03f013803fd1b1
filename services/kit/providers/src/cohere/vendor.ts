import { bearer } from "../bearer.ts";
import { always, never } from "../every-model.ts";
import { idsIn } from "../model-list.ts";
import { plainVendor } from "../plain-vendor.ts";
import type { Vendor } from "../vendor.ts";
import { chatInputs, chatParameters, takesLateInstructions } from "./capabilities.ts";
import { cohereEmbeddings } from "./embeddings.ts";
import { cohereRefusals } from "./errors.ts";
import { readUsageBlock } from "./usage.ts";

/** Cohere's API, version 2: https://docs.cohere.com/reference */
export const cohere: Vendor = {
  ...plainVendor,
  name: "cohere",
  defaultBaseUrl: "https://api.cohere.com/v2",
  paths: { chat: "/chat", embeddings: "/embed", rerank: "/rerank" },
  measuresUnreported: true,
  billsHourlyCacheWrites: false,
  chatParameters,
  chatInputs,
  authorize: bearer,
  ...cohereRefusals,
  chat: {
    load: async () => (await import("./chat.ts")).cohereChat,
    check: undefined,
    readUsageBlock,
    reportsOutputSoFar: never,
    thinksUnreported: undefined,
    takesLateInstructions,
    keepsCacheMarks: never,
    takesSerialCalls: never,
    takesEffort: always,
  },
  json: { embeddings: cohereEmbeddings },
  modelList: {
    path: "/models?page_size=1000",
    // The list is one of version 1.
    baseUrl: (url) => url.replace(/\/v2$/, "/v1"),
    idsOf: (response) => idsIn(response, "models", "name"),
  },
};
