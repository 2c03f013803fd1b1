import { bearer } from "../bearer.ts";
import { always, never } from "../every-model.ts";
import { openaiModelList } from "../model-list.ts";
import { plainVendor } from "../plain-vendor.ts";
import type { Vendor } from "../vendor.ts";
import { chatInputs, chatParameters, takesLateInstructions } from "./capabilities.ts";
import { mistralEmbeddings } from "./embeddings.ts";
import { mistralRefusals } from "./errors.ts";
import { mistralOcr } from "./ocr.ts";
import { readUsageBlock } from "./usage.ts";

/** Mistral's API: https://docs.mistral.ai/api */
export const mistral: Vendor = {
  ...plainVendor,
  name: "mistral",
  defaultBaseUrl: "https://api.mistral.ai/v1",
  paths: { chat: "/chat/completions", embeddings: "/embeddings", ocr: "/ocr" },
  measuresUnreported: true,
  billsHourlyCacheWrites: false,
  chatParameters,
  chatInputs,
  takesOtherMembers: true,
  authorize: bearer,
  ...mistralRefusals,
  chat: {
    load: async () => (await import("./chat.ts")).mistralChat,
    check: undefined,
    readUsageBlock,
    reportsOutputSoFar: never,
    thinksUnreported: undefined,
    takesLateInstructions,
    keepsCacheMarks: never,
    takesSerialCalls: always,
    takesEffort: always,
  },
  json: { embeddings: mistralEmbeddings },
  ocr: mistralOcr,
  modelList: openaiModelList,
};
