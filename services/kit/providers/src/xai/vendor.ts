import { bearer } from "../bearer.ts";
import type { Vendor } from "../vendor.ts";
import { chatParameters, checkXaiChat } from "./chat.ts";
import { xaiRefusals } from "./errors.ts";
import { readUsageBlock } from "./usage.ts";

/** xAI's API, which is OpenAI's in the main: https://docs.x.ai/docs/api-reference */
export const xai: Vendor = {
  name: "xai",
  defaultBaseUrl: "https://api.x.ai/v1",
  routeBaseUrls: {},
  regions: undefined,
  paths: { chat: "/chat/completions", images: "/images/generations" },
  takesTokens: false,
  measuresUnreported: true,
  billsHourlyCacheWrites: false,
  chatParameters,
  takesOtherMembers: false,
  nativeWires: new Set(["chat", "responses"]),
  variables: undefined,
  authorize: bearer,
  ...xaiRefusals,
  chat: {
    load: undefined,
    check: checkXaiChat,
    readUsageBlock,
    reportsOutputSoFar: false,
    takesLateInstructions: true,
    keepsCacheMarks: false,
  },
  json: {},
  // https://docs.x.ai/docs/guides/image-generations
  refusedMembers: { images: ["size"] },
  ocr: undefined,
  speech: undefined,
  transcription: undefined,
  live: undefined,
};
