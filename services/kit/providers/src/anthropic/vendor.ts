import { always, never } from "../every-model.ts";
import { openaiModelList } from "../model-list.ts";
import { plainVendor } from "../plain-vendor.ts";
import type { Vendor } from "../vendor.ts";
import { authorize } from "./auth.ts";
import { chatInputs, chatParameters, takesLateInstructions } from "./capabilities.ts";
import { anthropicRefusals } from "./errors.ts";
import { hasThinking } from "./has-thinking.ts";
import { readUsageBlock } from "./usage.ts";

/** Anthropic's API: https://docs.claude.com/en/api */
export const anthropic: Vendor = {
  ...plainVendor,
  name: "anthropic",
  defaultBaseUrl: "https://api.anthropic.com/v1",
  paths: { chat: "/messages" },
  measuresUnreported: true,
  billsHourlyCacheWrites: true,
  chatParameters,
  chatInputs,
  nativeWires: new Set(["messages"]),
  authorize,
  ...anthropicRefusals,
  chat: {
    load: async () => (await import("./chat.ts")).anthropicChat,
    check: undefined,
    readUsageBlock,
    reportsOutputSoFar: never,
    thinksUnreported: hasThinking,
    takesLateInstructions,
    keepsCacheMarks: always,
    takesSerialCalls: always,
    takesEffort: always,
  },
  modelList: { ...openaiModelList, path: "/models?limit=1000" },
};
