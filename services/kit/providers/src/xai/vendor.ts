import { bearer } from "../bearer.ts";
import { always, never } from "../every-model.ts";
import { openaiModelList } from "../model-list.ts";
import { plainVendor } from "../plain-vendor.ts";
import type { Vendor } from "../vendor.ts";
import { chatParameters, checkXaiChat } from "./chat.ts";
import { takesEffort } from "./effort.ts";
import { xaiRefusals } from "./errors.ts";
import { readUsageBlock } from "./usage.ts";

/** xAI's API, which is OpenAI's in the main: https://docs.x.ai/docs/api-reference */
export const xai: Vendor = {
  ...plainVendor,
  name: "xai",
  defaultBaseUrl: "https://api.x.ai/v1",
  paths: { chat: "/chat/completions", images: "/images/generations" },
  measuresUnreported: true,
  billsHourlyCacheWrites: false,
  chatParameters,
  takesOtherMembers: true,
  nativeWires: new Set(["chat", "responses"]),
  authorize: bearer,
  ...xaiRefusals,
  chat: {
    load: undefined,
    check: checkXaiChat,
    readUsageBlock,
    reportsOutputSoFar: never,
    thinksUnreported: undefined,
    takesLateInstructions: true,
    keepsCacheMarks: never,
    takesSerialCalls: always,
    takesEffort,
  },
  // https://docs.x.ai/docs/guides/image-generations
  refusedMembers: { images: ["size"] },
  modelList: openaiModelList,
};
