import { readUsageBlock } from "../openai/usage.ts";
import { openai, openaiChat } from "../openai/vendor.ts";
import type { Vendor } from "../vendor.ts";
import { authorize } from "./auth.ts";
import { entraIdentity } from "./identity.ts";

/** Azure OpenAI, version 1: https://learn.microsoft.com/azure/ai-foundry/openai/latest */
export const azure: Vendor = {
  ...openai,
  name: "azure",
  paths: {
    chat: "/chat/completions",
    embeddings: "/embeddings",
    transcriptions: "/audio/transcriptions",
    images: "/images/generations",
  },
  transcriptionForms: "always",
  measuresUnreported: true,
  billsHourlyCacheWrites: false,
  identity: entraIdentity,
  authorize,
  // The name of a deployment does not say which model it is. Those of today return base64 only.
  omittedMembers: { images: () => ["response_format"] },
  chat: { ...openaiChat, readUsageBlock },
};
