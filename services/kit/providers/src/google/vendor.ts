import { always, never } from "../every-model.ts";
import { idsIn } from "../model-list.ts";
import { plainVendor } from "../plain-vendor.ts";
import type { Vendor } from "../vendor.ts";
import { authorize } from "./auth.ts";
import { chatInputs, chatParameters, takesLateInstructions } from "./capabilities.ts";
import { googleEmbeddings } from "./embeddings.ts";
import { googleRefusals } from "./errors.ts";
import { googleImages } from "./image-generation.ts";
import { googleSpeech } from "./speech.ts";
import { readUsageBlock } from "./usage.ts";

/** Gemini's API: https://ai.google.dev/api */
export const google: Vendor = {
  ...plainVendor,
  name: "google",
  defaultBaseUrl: "https://generativelanguage.googleapis.com/v1beta",
  paths: {
    chat: "/models/{model}:generateContent",
    embeddings: "/models/{model}:batchEmbedContents",
    speech: "/models/{model}:generateContent",
    images: "/models/{model}:generateContent",
  },
  measuresUnreported: true,
  billsHourlyCacheWrites: false,
  chatParameters,
  chatInputs,
  authorize,
  ...googleRefusals,
  chat: {
    load: async () => (await import("./chat.ts")).googleChat,
    check: undefined,
    readUsageBlock,
    reportsOutputSoFar: always,
    thinksUnreported: undefined,
    takesLateInstructions,
    keepsCacheMarks: never,
    takesSerialCalls: never,
    takesEffort: always,
  },
  json: { embeddings: googleEmbeddings, images: googleImages },
  speech: googleSpeech,
  modelList: {
    path: "/models?pageSize=1000",
    idsOf: (response) =>
      idsIn(response, "models", "name").map((name) => name.replace(/^models\//, "")),
  },
};
