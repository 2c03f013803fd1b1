import { isJsonObject, type JsonObject } from "@tollgate/core/json";
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
import { SkippedBlocks } from "../ai-sdk/skipped-blocks.ts";

/** The package requires counts. These cannot be billed from, as no counts could not. */
const noUsage = { inputTokens: -1, outputTokens: -1, totalTokens: -1 };

const counts = objectKept(
  {
    inputTokens: asCount,
    outputTokens: asCount,
    totalTokens: asCount,
    cacheReadInputTokens: asCount,
    cacheWriteInputTokens: asCount,
    cacheDetails: listWith(
      objectKept({ inputTokens: asCount, ttl: asText }, ["inputTokens", "ttl"]),
    ),
  },
  ["inputTokens", "outputTokens"],
);

const usage: Shape = (value) => {
  const read = counts(value);
  if (!isJsonObject(read)) return undefined;
  return { totalTokens: Number(read.inputTokens) + Number(read.outputTokens), ...read };
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

/** The types of blocks that are read. Most do not say theirs as they begin. */
const knownBlocks = ["toolUse", "text", "reasoningContent", "citationsContent"];

/** Returns whether a block begins that is read, or says no type. */
function isKnownBlock({ start }: JsonObject): boolean {
  const types = isJsonObject(start) ? Object.keys(start) : [];
  return types.length === 0 || types.some((type) => knownBlocks.includes(type));
}

function indexOf(of: JsonObject): number {
  return Number(of.contentBlockIndex ?? 0);
}

/** Returns a shape that leaves out what follows in a block which is not read. */
function startEvents(): Shape {
  const skipped = new SkippedBlocks();
  return (value) => {
    if (!isJsonObject(value)) return undefined;
    const { contentBlockStart: begun, contentBlockDelta: said, contentBlockStop: ended } = value;
    if (isJsonObject(begun)) skipped.begin(indexOf(begun), isKnownBlock(begun));
    const part = said ?? ended;
    return isJsonObject(part) && skipped.has(indexOf(part)) ? undefined : event(value);
  };
}

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
  startEvents,
  isFinish: ({ messageStop }) => messageStop !== undefined,
};
