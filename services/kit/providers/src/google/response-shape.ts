import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { ResponseShape } from "../ai-sdk/response-shape.ts";
import {
  asAny,
  asCount,
  asFlag,
  asNumber,
  asText,
  eitherOf,
  listWith,
  objectKept,
  objectWith,
  type Shape,
} from "../ai-sdk/shape.ts";

const modalities = listWith(
  objectKept({ modality: asText, tokenCount: asCount }, ["modality", "tokenCount"]),
);

const usageMetadata = objectKept({
  cachedContentTokenCount: asCount,
  thoughtsTokenCount: asCount,
  promptTokenCount: asCount,
  candidatesTokenCount: asCount,
  toolUsePromptTokenCount: asCount,
  totalTokenCount: asCount,
  trafficType: asText,
  serviceTier: asText,
  promptTokensDetails: modalities,
  cacheTokensDetails: modalities,
  candidatesTokensDetails: modalities,
  toolUsePromptTokensDetails: modalities,
});

const partialArgument = objectWith(
  {
    jsonPath: asText,
    stringValue: asText,
    numberValue: asNumber,
    boolValue: asFlag,
    nullValue: asAny,
    willContinue: asFlag,
  },
  ["jsonPath"],
);

const functionCall = objectWith({
  id: asText,
  name: asText,
  args: asAny,
  partialArgs: listWith(partialArgument),
  willContinue: asFlag,
});

const signature = objectWith({ thoughtSignature: asText }, ["thoughtSignature"]);

/** A signature may be all that a part has. It is of what is before it, which a part without text says. */
const signatureAlone: Shape = (value) => {
  const read = signature(value) as JsonObject | undefined;
  if (read === undefined || Object.values(value as JsonObject).some(isJsonObject)) return undefined;
  return { text: "", ...read };
};

/** What Gemini's own tools run, and files, are not part of a chat completion. */
const part = eitherOf(
  objectWith({ functionCall, thoughtSignature: asText }, ["functionCall"]),
  objectWith({ text: asText, thought: asFlag, thoughtSignature: asText }, ["text"]),
  signatureAlone,
);

const candidate = objectWith({
  content: objectWith({ parts: listWith(part) }),
  finishReason: asText,
  finishMessage: asText,
  continuationToken: asText,
});

const response = objectWith({
  responseId: asText,
  candidates: listWith(candidate),
  usageMetadata,
  promptFeedback: objectWith({ blockReason: asText }),
});

/** https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse */
export const googleShape: ResponseShape = {
  answer: response,
  event: response,
  isFinish: ({ candidates, promptFeedback }) =>
    promptFeedback !== undefined ||
    (Array.isArray(candidates) &&
      isJsonObject(candidates[0]) &&
      candidates[0].finishReason !== undefined &&
      candidates[0].finishReason !== "CONTINUATION"),
};
