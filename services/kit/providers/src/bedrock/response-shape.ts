import type { JsonObject } from "@tollgate/core/json";
import type { ResponseShape } from "../ai-sdk/response-shape.ts";
import {
  asAny,
  asCount,
  asNumber,
  asText,
  eitherOf,
  listWith,
  objectKept,
  objectWith,
  orElse,
  type Shape,
} from "../ai-sdk/shape.ts";

/** The package requires counts. These cannot be billed from, as no counts could not. */
const noUsage = { inputTokens: -1, outputTokens: -1, totalTokens: -1 };

const cacheDetails: Shape = (value) => {
  const read = listWith(objectKept({ inputTokens: asCount, ttl: asText }))(value);
  if (!Array.isArray(read)) return undefined;
  return read.filter((one) => "inputTokens" in one && "ttl" in one);
};

const usage: Shape = (value) => {
  const read = objectKept({
    inputTokens: asCount,
    outputTokens: asCount,
    totalTokens: asCount,
    cacheReadInputTokens: asCount,
    cacheWriteInputTokens: asCount,
    cacheDetails,
  })(value) as JsonObject | undefined;
  const { inputTokens, outputTokens } = read ?? {};
  if (typeof inputTokens !== "number" || typeof outputTokens !== "number") return undefined;
  return { totalTokens: inputTokens + outputTokens, ...read };
};

const toolUse = objectWith({ toolUseId: asText, name: asText, input: asAny }, [
  "toolUseId",
  "name",
]);

const reasoningContent = eitherOf(
  objectWith({ reasoningText: objectWith({ text: asText, signature: asText }, ["text"]) }),
  objectWith({ redactedReasoning: objectWith({ data: asText }) }),
  objectWith({ redactedContent: asText }),
);

const block = objectWith({
  text: asText,
  toolUse,
  reasoningContent,
  citationsContent: objectWith({ content: listWith(objectWith({ text: asText })) }),
});

const delta = eitherOf(
  objectWith({ text: asText }),
  objectWith({ toolUse: objectWith({ input: asText }) }),
  objectWith({
    reasoningContent: eitherOf(
      objectWith({ text: asText }),
      objectWith({ signature: asText }),
      objectWith({ data: asText }),
      objectWith({ redactedContent: asText }),
    ),
  }),
);

const contentBlockIndex = orElse(asNumber, 0);
const stopReason = orElse(asText, "end_turn");

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html */
const event = objectWith({
  contentBlockStart: objectWith(
    { contentBlockIndex, start: objectWith({ toolUse }, ["toolUse"]) },
    ["start"],
  ),
  contentBlockDelta: objectWith({ contentBlockIndex, delta }, ["delta"]),
  contentBlockStop: objectWith({ contentBlockIndex }),
  messageStop: objectWith({ stopReason }),
  metadata: objectWith({ usage }),
});

const output = objectWith({
  message: objectWith({
    role: orElse(asText, "assistant"),
    content: orElse(listWith(block), []),
  }),
});
const noOutput = { message: { role: "assistant", content: [] } };
const answerUsage = orElse(usage, noUsage);

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const bedrockShape: ResponseShape = {
  answer: eitherOf(
    objectWith({ output, stopReason, usage: answerUsage }, ["output"]),
    objectWith({ output: orElse(output, noOutput), stopReason: asText, usage: answerUsage }, [
      "stopReason",
    ]),
  ),
  event,
  isFinish: ({ messageStop }) => messageStop !== undefined,
};
