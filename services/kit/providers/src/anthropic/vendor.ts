import type { Vendor } from "../vendor.ts";
import { authorize } from "./auth.ts";
import { chatParameters, takesLateInstructions } from "./capabilities.ts";
import { anthropicRefusals } from "./errors.ts";
import { readUsageBlock } from "./usage.ts";

/** Anthropic's API: https://docs.claude.com/en/api */
export const anthropic: Vendor = {
  name: "anthropic",
  defaultBaseUrl: "https://api.anthropic.com/v1",
  routeBaseUrls: {},
  regions: undefined,
  paths: { chat: "/messages" },
  takesTokens: false,
  measuresUnreported: true,
  billsHourlyCacheWrites: true,
  chatParameters,
  takesOtherMembers: false,
  nativeWires: new Set(["messages"]),
  variables: undefined,
  authorize,
  ...anthropicRefusals,
  chat: {
    load: async () => (await import("./chat.ts")).anthropicChat,
    check: undefined,
    readUsageBlock,
    reportsOutputSoFar: false,
    takesLateInstructions,
    keepsCacheMarks: true,
  },
  json: {},
  refusedMembers: {},
  ocr: undefined,
  speech: undefined,
  transcription: undefined,
  live: undefined,
};
