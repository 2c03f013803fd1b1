import { chatInputNames } from "@tollgate/catalog/chat-inputs";
import { allChatParameters } from "@tollgate/catalog/provider-kind";
import { bearer } from "../bearer.ts";
import { always, never } from "../every-model.ts";
import { openaiModelList } from "../model-list.ts";
import { plainVendor } from "../plain-vendor.ts";
import type { Vendor, VendorChat } from "../vendor.ts";
import { takesEffort } from "./effort.ts";
import { openaiRefusals } from "./errors.ts";
import { omittedOfImages } from "./images.ts";
import { openaiTranscribers } from "./known-transcribers.ts";
import { readCompatibleUsage } from "./usage.ts";

/** Chat on OpenAI's wire. */
export const openaiChat: VendorChat = {
  load: undefined,
  check: undefined,
  readUsageBlock: readCompatibleUsage,
  reportsOutputSoFar: never,
  thinksUnreported: undefined,
  takesLateInstructions: true,
  keepsCacheMarks: never,
  takesSerialCalls: always,
  takesEffort,
};

/** OpenAI's API, and the many that speak it: https://platform.openai.com/docs/api-reference */
export const openai: Vendor = {
  ...plainVendor,
  name: "openai",
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
  transcriptionForms: "optional",
  knownTranscribers: openaiTranscribers,
  measuresUnreported: false,
  billsHourlyCacheWrites: false,
  chatParameters: allChatParameters,
  chatInputs: new Set(chatInputNames),
  takesOtherMembers: true,
  nativeWires: new Set(["chat", "responses"]),
  authorize: bearer,
  ...openaiRefusals,
  omittedMembers: { images: omittedOfImages },
  chat: openaiChat,
  modelList: openaiModelList,
};
