import { z } from "zod";
import { type ChatRequest, chatRequest } from "../chat/request.ts";

/**
 * The body of Gemini's generateContent, with the members that its reference documents; others are
 * refused by name: https://ai.google.dev/api/generate-content
 */

/** Bytes are base64, in either of its alphabets. */
const signature = z.string().regex(/^[A-Za-z0-9+/_-]+={0,2}$/, "Base64 decoding failed");
const signed = { thought: z.boolean().optional(), thoughtSignature: signature.optional() };
const args = z.record(z.string(), z.unknown());
/** https://ai.google.dev/gemini-api/docs/image-understanding */
const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"] as const;
/** https://ai.google.dev/gemini-api/docs/audio and https://ai.google.dev/gemini-api/docs/document-processing */
const mediaTypes = [
  ...imageTypes,
  "application/pdf",
  "audio/wav",
  "audio/mp3",
  "audio/aiff",
  "audio/aac",
  "audio/ogg",
  "audio/flac",
] as const;
const mimeType = z.enum(mediaTypes, { error: "Unsupported MIME type" });

const resultTypes = ["image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"];
const resultData = z.strictObject({
  mimeType: z.enum(resultTypes, { error: "Unsupported MIME type" }),
  data: z.base64().min(1),
});

const part = z
  .strictObject({
    ...signed,
    text: z.string().optional(),
    inlineData: z.strictObject({ mimeType, data: z.base64().min(1) }).optional(),
    fileData: z
      .strictObject({ mimeType: mimeType.optional(), fileUri: z.url({ protocol: /^https$/ }) })
      .optional(),
    functionCall: z
      .strictObject({ id: z.string().optional(), name: z.string().min(1), args: args.optional() })
      .optional(),
    functionResponse: z
      .strictObject({
        id: z.string().optional(),
        name: z.string().min(1),
        response: args,
        // https://ai.google.dev/gemini-api/docs/function-calling#multimodal
        parts: z.array(z.strictObject({ inlineData: resultData })).optional(),
      })
      .optional(),
  })
  .refine(hasOneDatum, "required oneof field 'data' must have one initialized field");
export type ContentsPart = z.output<typeof part>;

function hasOneDatum({ thought, thoughtSignature, ...data }: Record<string, unknown>): boolean {
  return Object.values(data).filter((value) => value !== undefined).length === 1;
}

const parts = z.array(part).min(1, "contents.parts must not be empty.");
const content = z.strictObject({ role: z.enum(["user", "model"]).optional(), parts });
export type Content = z.output<typeof content>;

const schema = z.looseObject({});
const functionDeclaration = z
  .strictObject({
    name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/, "Invalid function name."),
    description: z.string().optional(),
    parameters: schema.optional(),
    parametersJsonSchema: schema.optional(),
  })
  .refine((one) => one.parameters === undefined || one.parametersJsonSchema === undefined, {
    message: "only one of parameters and parametersJsonSchema can be set.",
  });
const tool = z.strictObject({ functionDeclarations: z.array(functionDeclaration).min(1) });

const functionCallingConfig = z
  .strictObject({
    mode: z.enum(["AUTO", "ANY", "NONE", "VALIDATED"]).optional(),
    allowedFunctionNames: z.array(z.string()).optional(),
  })
  .refine(
    ({ mode, allowedFunctionNames }) =>
      allowedFunctionNames === undefined || mode === "ANY" || mode === "VALIDATED",
    "allowed_function_names should be set only when the mode is ANY or VALIDATED.",
  );

const generationConfig = z.strictObject({
  stopSequences: z.array(z.string()).max(5).optional(),
  responseMimeType: z.enum(["text/plain", "application/json"]).optional(),
  responseSchema: schema.optional(),
  responseJsonSchema: schema.optional(),
  candidateCount: z.int().min(1).max(8).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: z.int().min(1).optional(),
  seed: z.int().optional(),
  presencePenalty: z.number().min(-2).max(2).optional(),
  frequencyPenalty: z.number().min(-2).max(2).optional(),
  responseModalities: z.array(z.enum(["TEXT", "IMAGE", "AUDIO"])).optional(),
  imageConfig: z
    .strictObject({
      aspectRatio: z
        .enum(["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"])
        .optional(),
    })
    .optional(),
  speechConfig: z
    .strictObject({
      voiceConfig: z.strictObject({
        prebuiltVoiceConfig: z.strictObject({ voiceName: z.string().min(1) }),
      }),
    })
    .optional(),
  thinkingConfig: z
    .strictObject({
      includeThoughts: z.boolean().optional(),
      thinkingBudget: z.int().min(-1).optional(),
      thinkingLevel: z.enum(["minimal", "low", "medium", "high"]).optional(),
    })
    .optional(),
});

const safetySetting = z.strictObject({ category: z.string(), threshold: z.string() });

export const generateContentRequest = z.strictObject({
  contents: z.array(content).min(1, "contents is not specified"),
  systemInstruction: z.strictObject({ role: z.string().optional(), parts }).optional(),
  tools: z.array(tool).optional(),
  toolConfig: z
    .strictObject({ functionCallingConfig: functionCallingConfig.optional() })
    .optional(),
  safetySettings: z.array(safetySetting).optional(),
  generationConfig: generationConfig.optional(),
  cachedContent: z.string().optional(),
});

export type GenerateContentRequest = z.output<typeof generateContentRequest>;

/** Whether a model is of the third generation or later. */
export function isGemini3(model: string): boolean {
  return /^gemini-[3-9]/.test(model);
}

/** Returns the first rule of a model, or between members, that a request breaks. */
export function contentsProblem(
  model: string,
  request: GenerateContentRequest,
): string | undefined {
  const { generationConfig: config = {}, tools, contents } = request;
  if (config.presencePenalty !== undefined || config.frequencyPenalty !== undefined) {
    return `Penalty is not enabled for models/${model}`;
  }
  const isJson = config.responseMimeType === "application/json";
  const isForced = request.toolConfig?.functionCallingConfig?.mode === "ANY";
  if (isJson && tools !== undefined && (isForced || !isGemini3(model))) {
    return "Function calling with a response mime type: 'application/json' is unsupported";
  }
  const hasSchema = config.responseSchema !== undefined || config.responseJsonSchema !== undefined;
  if (hasSchema && !isJson) return "a response schema needs the mime type application/json";
  return thinkingProblem(model, config) ?? turnProblem(model, contents);
}

/** https://ai.google.dev/gemini-api/docs/thinking#set-budget */
function thinkingProblem(
  model: string,
  { thinkingConfig: thinking = {} }: z.output<typeof generationConfig>,
): string | undefined {
  const { thinkingBudget: budget, thinkingLevel: level } = thinking;
  if (budget !== undefined && level !== undefined) {
    return "You can only set one of thinking budget and thinking level.";
  }
  const isPro = model.includes("pro");
  if (level !== undefined && (!isGemini3(model) || (isPro && level === "minimal"))) {
    return `Thinking level ${level.toUpperCase()} is not supported for this model.`;
  }
  if (budget === undefined || budget === -1) return undefined;
  const [least, most] = isPro ? [128, 32_768] : [0, 24_576];
  if (budget >= least && budget <= most) return undefined;
  return `The thinking budget ${budget} is invalid. Please choose a value between ${least} and ${most}.`;
}

/** The responses to a turn's calls must be in the next turn, all of them. */
function turnProblem(model: string, contents: readonly Content[]): string | undefined {
  for (const [index, { role, parts: own }] of contents.entries()) {
    const calls = own.flatMap(({ functionCall }) => functionCall ?? []);
    const next = contents[index + 1]?.parts ?? [];
    const responses = next.flatMap(({ functionResponse }) => functionResponse ?? []);
    if (calls.length > 0 && (role !== "model" || index === 0)) {
      return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
    }
    if (calls.length !== responses.length) {
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    }
    if (responses.some(({ name }) => !calls.some((call) => call.name === name))) {
      return "Please ensure that the function response has the name of the function call.";
    }
  }
  const media = contents.flatMap((one) =>
    one.parts.flatMap((part) => part.functionResponse?.parts ?? []),
  );
  if (media.length > 0 && !isGemini3(model)) {
    return "Multimodal function responses are not supported for this model.";
  }
  const own = contents[0]?.parts ?? [];
  if (own.some(({ functionResponse }) => functionResponse !== undefined)) {
    return "Please ensure that function response turn comes immediately after a function call turn.";
  }
  return isGemini3(model) ? signatureProblem(contents) : undefined;
}

/**
 * The first call of each step since the user's last text must have its signature:
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
function signatureProblem(contents: readonly Content[]): string | undefined {
  const start = contents.findLastIndex(
    ({ role, parts: own }) =>
      role !== "model" && own.some(({ functionResponse }) => functionResponse === undefined),
  );
  for (const { parts: own } of contents.slice(start + 1)) {
    const first = own.find(({ functionCall }) => functionCall !== undefined);
    if (first === undefined || first.thoughtSignature !== undefined) continue;
    return `Function call is missing a thought_signature in functionCall parts: \`${first.functionCall?.name}\``;
  }
  return undefined;
}

/** Returns the request in the form that the simulator generates from. */
export function chatFromContents(model: string, request: GenerateContentRequest): ChatRequest {
  const { contents, tools = [], toolConfig, generationConfig: config = {} } = request;
  const schemas = [config.responseJsonSchema, config.responseSchema];
  const declarations = tools.flatMap(({ functionDeclarations }) => functionDeclarations);
  return chatRequest.parse({
    model,
    max_tokens: config.maxOutputTokens,
    messages: contents.map(toChatMessage),
    tools:
      declarations.length === 0
        ? undefined
        : declarations.map(({ name, parametersJsonSchema, parameters }) => ({
            function: { name, parameters: parametersJsonSchema ?? parameters },
          })),
    tool_choice: toChatChoice(toolConfig?.functionCallingConfig),
    ...(config.responseMimeType === "application/json"
      ? { response_format: toChatFormat(schemas.find((one) => one !== undefined)) }
      : {}),
  });
}

function toChatFormat(given: object | undefined): object {
  if (given === undefined) return { type: "json_object" };
  return { type: "json_schema", json_schema: { schema: given } };
}

function toChatChoice({
  mode,
  allowedFunctionNames: [name] = [],
}: z.output<typeof functionCallingConfig> = {}): unknown {
  if (mode === "NONE") return "none";
  if (mode !== "ANY") return "auto";
  return name === undefined ? "required" : { function: { name } };
}

function toChatMessage({ role, parts: own }: Content): unknown {
  const responses = own.flatMap(({ functionResponse }) => functionResponse ?? []);
  if (responses.length > 0) {
    const texts = responses.map(({ response }) =>
      String(response.content ?? response.result ?? ""),
    );
    const media = responses.flatMap(({ parts = [] }) => parts);
    return {
      role: "tool",
      content: [{ type: "text", text: texts.join("\n") }, ...media.map(toMedia)],
    };
  }
  const visible = own.filter(({ thought }) => thought !== true);
  return { role: role === "model" ? "assistant" : "user", content: visible.map(toChatPart) };
}

function toMedia({
  inlineData: { mimeType },
}: {
  inlineData: z.output<typeof resultData>;
}): object {
  return { type: mimeType.startsWith("image/") ? "image" : "file" };
}

function toChatPart({ text, inlineData, fileData }: ContentsPart): object {
  if (text !== undefined) return { type: "text", text };
  if (inlineData === undefined && fileData === undefined) return { type: "call" };
  const type = inlineData?.mimeType ?? fileData?.mimeType ?? "image";
  return { type: type === "application/pdf" ? "file" : type };
}
