import { z } from "zod";
import { type ChatRequest, chatRequest } from "../chat/request.ts";

/**
 * The body of Bedrock's Converse API, with the members that its reference documents; others are refused:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */

const text = z.strictObject({
  text: z.string().regex(/\S/, "The text field in the ContentBlock object is blank."),
});
const cachePoint = z.strictObject({
  cachePoint: z.strictObject({
    type: z.literal("default"),
    ttl: z.enum(["5m", "1h"]).optional(),
  }),
});
const image = z.strictObject({
  image: z.strictObject({
    format: z.enum(["png", "jpeg", "gif", "webp"]),
    source: z.strictObject({ bytes: z.base64() }),
  }),
});
/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html */
const document = z.strictObject({
  document: z.strictObject({
    format: z.enum(["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"]),
    name: z
      .string()
      .min(1)
      .max(200)
      .regex(
        /^[a-zA-Z0-9()[\]-]+(\s[a-zA-Z0-9()[\]-]+)*$/,
        "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.",
      ),
    source: z.strictObject({ bytes: z.base64() }),
  }),
});
const toolId = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const toolUse = z.strictObject({
  toolUse: z.strictObject({
    toolUseId: toolId,
    name: toolName,
    input: z.record(z.string(), z.unknown()),
  }),
});
const resultText = z.strictObject({
  text: z.string().regex(/\S/, "The text field in the ContentBlock object is blank."),
});
const toolResult = z.strictObject({
  toolResult: z.strictObject({
    toolUseId: toolId,
    content: z.array(z.union([resultText, image, document])).min(1),
    status: z.enum(["success", "error"]).optional(),
  }),
});
const reasoning = z.strictObject({
  reasoningContent: z.union([
    z.strictObject({
      reasoningText: z.strictObject({
        text: z.string(),
        signature: z.string().regex(/^signature-/, "Invalid `signature` in `thinking` block"),
      }),
    }),
    z.strictObject({ redactedContent: z.base64() }),
  ]),
});

const block = z.union([text, cachePoint, image, document, toolUse, toolResult, reasoning]);
type Block = z.output<typeof block>;
type ResultPart = z.output<typeof toolResult>["toolResult"]["content"][number];

const message = z.strictObject({
  role: z.enum(["user", "assistant"]),
  content: z.array(block).min(1),
});

const empty = z.strictObject({});
const tool = z.strictObject({
  toolSpec: z.strictObject({
    name: toolName,
    description: z.string().min(1).optional(),
    inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal("object") }) }),
    strict: z.boolean().optional(),
  }),
});
const toolConfig = z.strictObject({
  tools: z
    .array(z.union([tool, cachePoint]))
    .min(1)
    .refine(([first]) => first !== undefined && "toolSpec" in first, "A tool must come first."),
  toolChoice: z
    .union([
      z.strictObject({ auto: empty }),
      z.strictObject({ any: empty }),
      z.strictObject({ tool: z.strictObject({ name: toolName }) }),
    ])
    .optional(),
});

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_OutputConfig.html */
const outputConfig = z.strictObject({
  textFormat: z.strictObject({
    type: z.literal("json_schema"),
    structure: z.strictObject({
      jsonSchema: z.strictObject({
        schema: z
          .string()
          .refine(
            isClosed,
            "For 'object' type, 'additionalProperties' must be explicitly set to false",
          ),
        name: z.string().optional(),
        description: z.string().optional(),
      }),
    }),
  }),
});

/** Whether each object of a schema refuses other properties. */
function isClosed(text: string): boolean {
  let isOpen = false;
  JSON.parse(text, (_, value: { type?: unknown; additionalProperties?: unknown } | null) => {
    if (value?.type === "object" && value.additionalProperties !== false) isOpen = true;
    return value;
  });
  return !isOpen;
}

/** The fields of Claude's own that a request may have. */
const claudeFields = z.strictObject({
  thinking: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1_024) }),
      z.strictObject({ type: z.literal("adaptive") }),
    ])
    .optional(),
  output_config: z
    .strictObject({ effort: z.enum(["low", "medium", "high", "max"]).optional() })
    .optional(),
  tool_choice: z
    .strictObject({
      type: z.enum(["auto", "any", "tool"]),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().optional(),
    })
    .optional(),
});

export const converseRequest = z.strictObject({
  messages: z.array(message).min(1),
  system: z.array(z.union([text, cachePoint])).optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string().min(1)).max(2_500).optional(),
    })
    .optional(),
  toolConfig: toolConfig.optional(),
  outputConfig: outputConfig.optional(),
  additionalModelRequestFields: claudeFields.optional(),
  additionalModelResponseFieldPaths: z.array(z.string().startsWith("/")).max(10).optional(),
});

export type ConverseRequest = z.output<typeof converseRequest>;

export function converseThinks({ additionalModelRequestFields: fields }: ConverseRequest): boolean {
  return fields?.thinking !== undefined;
}

/** Returns the first rule between members that a request breaks. */
export function converseProblem(request: ConverseRequest): string | undefined {
  const { messages, toolConfig: config } = request;
  const blocks = messages.flatMap(({ content }) => content);
  if (messages[0]?.role !== "user") {
    return "A conversation must start with a user message. Try again with a conversation that starts with a user message.";
  }
  if (messages.some(({ role }, index) => role === messages[index - 1]?.role)) {
    return "A conversation must alternate between user and assistant roles.";
  }
  if (config === undefined && blocks.some((one) => "toolUse" in one || "toolResult" in one)) {
    return "The toolConfig field must be defined when using toolUse and toolResult content blocks.";
  }
  const unnamed = documentProblem(messages);
  if (unnamed !== undefined) return unnamed;
  const unanswered = messages.map((_, index) => resultProblem(messages, index)).find(Boolean);
  return unanswered ?? (converseThinks(request) ? thinkingProblem(request) : undefined);
}

/** Documents have names of their own, and a text beside them. */
function documentProblem(messages: Messages): string | undefined {
  const names = new Set<string>();
  for (const { content } of messages) {
    const documents = content.flatMap((one) => ("document" in one ? one.document.name : []));
    for (const name of documents) {
      if (names.has(name)) {
        return "Messages can't contain duplicate document names. Rename the document and retry your request.";
      }
      names.add(name);
    }
    if (documents.length > 0 && !content.some((one) => "text" in one)) {
      return "A text block is required when a document is included in a message.";
    }
  }
  return undefined;
}

/** Returns the first rule of thinking that a request breaks. */
function thinkingProblem(request: ConverseRequest): string | undefined {
  const { messages, inferenceConfig = {}, toolConfig: config } = request;
  const { thinking, tool_choice: choice } = request.additionalModelRequestFields ?? {};
  if (thinking?.type === "enabled" && thinking.budget_tokens >= (inferenceConfig.maxTokens ?? 0)) {
    return "`max_tokens` must be greater than `thinking.budget_tokens`.";
  }
  if ((inferenceConfig.temperature ?? 1) !== 1) {
    return "`temperature` may only be set to 1 when thinking is enabled.";
  }
  const { toolChoice = { auto: {} } } = config ?? {};
  if (!("auto" in toolChoice) || (choice !== undefined && choice.type !== "auto")) {
    return "Thinking may not be enabled when tool_choice forces tool use.";
  }
  return turnProblem(messages);
}

type Messages = ConverseRequest["messages"];

/** The results of a turn's calls must be in the next message, all of them. */
function resultProblem(messages: Messages, index: number): string | undefined {
  const called = callsOf(messages[index - 1]?.content ?? []);
  const results = (messages[index]?.content ?? []).flatMap((one) =>
    "toolResult" in one ? one.toolResult.toolUseId : [],
  );
  if (results.length === called.length && results.every((id) => called.includes(id))) {
    return undefined;
  }
  return `Expected toolResult blocks at messages.${index}.content for the following Ids: ${called.join(", ")}`;
}

function callsOf(content: readonly Block[]): string[] {
  return content.flatMap((one) => ("toolUse" in one ? one.toolUse.toolUseId : []));
}

/** A turn with thinking that calls tools must be sent back with its thinking. */
function turnProblem(messages: Messages): string | undefined {
  const { role, content = [] } = messages.at(-2) ?? {};
  const [first] = content;
  if (role !== "assistant" || callsOf(content).length === 0) return undefined;
  if (first !== undefined && "reasoningContent" in first) return undefined;
  return "Expected `thinking` or `redacted_thinking`, but found `tool_use`.";
}

/** Returns the request in the form that the simulator generates from. */
export function chatFromConverse(model: string, request: ConverseRequest): ChatRequest {
  const { toolConfig: config, inferenceConfig, additionalModelRequestFields: fields } = request;
  const choice = config?.toolChoice ?? { auto: {} };
  const isAny = "any" in choice || fields?.tool_choice?.type === "any";
  const named = "tool" in choice ? choice.tool.name : fields?.tool_choice?.name;
  return chatRequest.parse({
    model,
    max_tokens: inferenceConfig?.maxTokens,
    messages: request.messages.map(toChatMessage),
    tools: toolsOf(request, isAny),
    ...formatOf(request),
    ...(isAny ? { tool_choice: "required" } : {}),
    ...(named === undefined ? {} : { tool_choice: { function: { name: named } } }),
  });
}

function formatOf({ outputConfig: config }: ConverseRequest): object {
  const { schema } = config?.textFormat.structure.jsonSchema ?? {};
  if (schema === undefined) return {};
  return { response_format: { type: "json_schema", json_schema: { schema: JSON.parse(schema) } } };
}

/** Of tools of which one must be called, Claude calls the one for a JSON response, if it is there. */
function toolsOf({ toolConfig: config }: ConverseRequest, isAny: boolean) {
  const tools = config?.tools.flatMap((one) => {
    if (!("toolSpec" in one)) return [];
    const { name, inputSchema } = one.toolSpec;
    return [{ function: { name, parameters: inputSchema.json } }];
  });
  const json = isAny ? tools?.find((tool) => tool.function.name === "json") : undefined;
  return json === undefined ? tools : [json];
}

function toChatMessage({ role, content }: Messages[number]): unknown {
  const results = content.flatMap((one) => ("toolResult" in one ? one.toolResult.content : []));
  if (results.length > 0) {
    const others = content.filter((one) => !("toolResult" in one));
    return { role: "tool", content: [...results, ...others].flatMap(toPart) };
  }
  return { role, content: content.flatMap(toPart) };
}

function toPart(one: Block | ResultPart): object[] {
  if ("text" in one) return [{ type: "text", text: one.text }];
  if ("document" in one) return [{ type: "file" }];
  return "image" in one ? [{ type: "image" }] : [];
}
