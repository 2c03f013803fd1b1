import { hasThinking } from "../anthropic/has-thinking.ts";
import { always, never } from "../every-model.ts";
import { idsIn } from "../model-list.ts";
import { plainVendor } from "../plain-vendor.ts";
import type { Vendor } from "../vendor.ts";
import { authorize, variables } from "./auth.ts";
import { chatInputs, chatParameters, takesLateInstructions } from "./capabilities.ts";
import { bedrockRefusals } from "./errors.ts";
import { isClaude, readsCacheMarks } from "./families.ts";
import { awsIdentity } from "./identity.ts";
import { bedrockRerank } from "./rerank.ts";
import { readUsageBlock } from "./usage.ts";

/** Amazon Bedrock: https://docs.aws.amazon.com/bedrock/latest/APIReference */
export const bedrock: Vendor = {
  ...plainVendor,
  name: "bedrock",
  defaultBaseUrl: "https://bedrock-runtime.{region}.{domain}",
  routeBaseUrls: { rerank: "https://bedrock-agent-runtime.{region}.{domain}" },
  regions: {
    name: /^[a-z]{2,5}(-[a-z]+)+-\d{1,2}$/,
    described: "an AWS region",
    example: "us-east-1",
    // The regions in China have a domain of their own.
    domainOf: (region) => (region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com"),
  },
  paths: { chat: "/model/{model}/converse", rerank: "/rerank" },
  measuresUnreported: true,
  billsHourlyCacheWrites: true,
  chatParameters,
  chatInputs,
  variables,
  identity: awsIdentity,
  authorize,
  ...bedrockRefusals,
  chat: {
    load: async () => (await import("./chat.ts")).bedrockChat,
    check: undefined,
    readUsageBlock,
    reportsOutputSoFar: never,
    thinksUnreported: hasThinking,
    takesLateInstructions,
    keepsCacheMarks: readsCacheMarks,
    takesSerialCalls: isClaude,
    takesEffort: always,
  },
  json: { rerank: bedrockRerank },
  modelList: {
    path: "/foundation-models",
    // It is a call of the control plane.
    baseUrl: (url) => url.replace("://bedrock-runtime.", "://bedrock."),
    idsOf: (response) => idsIn(response, "modelSummaries", "modelId"),
  },
};
