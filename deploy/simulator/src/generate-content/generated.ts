import { type GeneratedChoice, generate } from "../chat/generation.ts";
import { tokensOfCharacters } from "../chat/tokens.ts";
import type { Commands } from "../commands.ts";
import { piecesOf } from "../pieces.ts";
import { chatFromContents, type GenerateContentRequest, isGemini3 } from "./request.ts";

/** A part of generated content. */
export interface GeneratedContentPart {
  text?: string;
  thought?: true;
  thoughtSignature?: string;
  functionCall?: { id?: string; name: string; args: unknown };
}

/** Generated content, before it is sent as JSON or as a stream. */
export interface GeneratedContent {
  responseId: string;
  /** The parts of each chunk of a stream. */
  chunks: readonly (readonly GeneratedContentPart[])[];
  finishReason: "STOP" | "MAX_TOKENS" | "SAFETY" | "MALFORMED_FUNCTION_CALL";
  finishMessage?: string;
  /** Why the prompt was blocked. Then there are no candidates. */
  blockReason?: string;
  usageMetadata: Readonly<Record<string, unknown>>;
  promptTokens: number;
  completionTokens: number;
}

const thought = "The user wrote something. I will respond to it.";
const finishReasons = { stop: "STOP", length: "MAX_TOKENS", tool_calls: "STOP" } as const;

/** Generates the content for one request. */
export function generateContent(
  model: string,
  request: GenerateContentRequest,
  commands: Commands,
  seq: number,
): GeneratedContent {
  const { choices, usage } = generate(chatFromContents(model, request), commands, seq);
  const [choice] = choices;
  const isThinking = thinks(request);
  const usageMetadata = commands.usage_block ?? usageOf(usage, isThinking, commands);
  const generated = { responseId: `response-${seq}`, usageMetadata, ...usage };
  if (commands.blocked) {
    return {
      ...generated,
      chunks: [[]],
      finishReason: "SAFETY",
      blockReason: "PROHIBITED_CONTENT",
    };
  }
  if (commands.malformed_call) {
    return { ...generated, chunks: [[]], finishReason: "MALFORMED_FUNCTION_CALL" };
  }
  if (commands.refusal) {
    const finishMessage = "The simulator was commanded to refuse.";
    return { ...generated, chunks: [[]], finishReason: "SAFETY", finishMessage };
  }
  const { includeThoughts = false } = request.generationConfig?.thinkingConfig ?? {};
  const thoughts: GeneratedContentPart[][] =
    isThinking && includeThoughts ? piecesOf(thought).map((text) => [{ text, thought: true }]) : [];
  const chunks = [...thoughts, ...partsOf(model, choice, isThinking, commands, seq)];
  return { ...generated, chunks, finishReason: finishReasons[choice?.finishReason ?? "stop"] };
}

function thinks({ generationConfig }: GenerateContentRequest): boolean {
  const { thinkingBudget, thinkingLevel } = generationConfig?.thinkingConfig ?? {};
  return thinkingLevel !== undefined || (thinkingBudget ?? 0) !== 0;
}

function partsOf(
  model: string,
  choice: GeneratedChoice | undefined,
  isThinking: boolean,
  commands: Commands,
  seq: number,
): GeneratedContentPart[][] {
  const signature = Buffer.from(`signature-${seq}`).toString("base64");
  const signs = isThinking || isGemini3(model);
  const called = choice?.toolCall;
  if (called === undefined) {
    const texts = piecesOf(choice?.content ?? "", commands.chunks).map((text) => [{ text }]);
    // The signature of a text comes last, without a text of its own.
    return signs ? [...texts, [{ text: "", thoughtSignature: signature }]] : texts;
  }
  const args = parseArguments(called.arguments);
  const calls = Array.from({ length: commands.calls ?? 1 }, (_, index): GeneratedContentPart => {
    // Models before the third generation give their calls no ids.
    const id = isGemini3(model) ? { id: `call-${seq}-${index}` } : {};
    // Only the first of parallel calls is signed.
    const signed = signs && index === 0 ? { thoughtSignature: signature } : {};
    return { functionCall: { ...id, name: called.name, args }, ...signed };
  });
  return [calls];
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Returns the usage of the reference: thoughts are not candidates, and the cache is of the prompt. */
function usageOf(
  { promptTokens, completionTokens }: { promptTokens: number; completionTokens: number },
  isThinking: boolean,
  commands: Commands,
) {
  const thoughts = isThinking ? tokensOfCharacters(thought.length) : 0;
  const { read = 0 } = commands.cached ?? {};
  return {
    promptTokenCount: promptTokens,
    ...(read === 0 ? {} : { cachedContentTokenCount: read }),
    candidatesTokenCount: completionTokens,
    totalTokenCount: promptTokens + completionTokens + thoughts,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: promptTokens }],
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
  };
}
