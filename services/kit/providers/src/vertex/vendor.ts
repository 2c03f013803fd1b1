import { hasThinking } from "../anthropic/has-thinking.ts";
import { always } from "../every-model.ts";
import { chatInputs, takesLateInstructions } from "../google/capabilities.ts";
import { googleImages } from "../google/image-generation.ts";
import { idsIn } from "../model-list.ts";
import { plainVendor } from "../plain-vendor.ts";
import type { Vendor } from "../vendor.ts";
import { authorize } from "./auth.ts";
import { chatParameters } from "./capabilities.ts";
import { vertexEmbeddings } from "./embeddings.ts";
import { vertexRefusals } from "./errors.ts";
import { isClaudeOnVertex, methodPath } from "./families.ts";
import { googleIdentity } from "./identity.ts";
import { readUsageBlock } from "./usage.ts";

/** Vertex AI: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/reference/rest */
export const vertex: Vendor = {
  ...plainVendor,
  name: "vertex",
  defaultBaseUrl: "https://{domain}/v1/projects/{project}/locations/{region}",
  regions: {
    name: /^(global|us|eu|[a-z]+-[a-z]+\d{1,2})$/,
    described: "a location of Vertex AI",
    example: "us-central1",
    domainOf(region) {
      if (region === "global") return "aiplatform.googleapis.com";
      if (region === "us" || region === "eu") return `aiplatform.${region}.rep.googleapis.com`;
      return `${region}-aiplatform.googleapis.com`;
    },
  },
  hasProjects: true,
  paths: {
    chat: (model) => methodPath(model, isClaudeOnVertex(model) ? "rawPredict" : "generateContent"),
    embeddings: (model) =>
      methodPath(model, /^gemini-embedding-[2-9]/.test(model) ? "embedContent" : "predict"),
    images: (model) =>
      methodPath(model, model.startsWith("imagen-") ? "predict" : "generateContent"),
  },
  measuresUnreported: true,
  billsHourlyCacheWrites: true,
  chatParameters,
  chatInputs,
  identity: googleIdentity,
  authorize,
  ...vertexRefusals,
  chat: {
    load: async () => (await import("./chat.ts")).vertexChat,
    check: undefined,
    readUsageBlock,
    reportsOutputSoFar: (model) => !isClaudeOnVertex(model),
    thinksUnreported: hasThinking,
    takesLateInstructions,
    keepsCacheMarks: isClaudeOnVertex,
    takesSerialCalls: isClaudeOnVertex,
    takesEffort: always,
  },
  json: { embeddings: vertexEmbeddings, images: googleImages },
  modelList: {
    path: "/publishers/google/models?pageSize=1000",
    // The list is neither of a project nor of a location.
    baseUrl: (url) => url.replace(/\/v1\/projects\/.*$/, "/v1beta1"),
    idsOf: (response) =>
      idsIn(response, "publisherModels", "name").map((name) => name.replace(/^.*\/models\//, "")),
  },
};
