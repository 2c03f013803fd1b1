import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { notSupported } from "../not-supported.ts";
import { hasMedia, ResultMedia, type ResultPlace } from "../result-media.ts";
import { type MediaForm, mediaPart } from "./media-part.ts";
import { readReasoning, type SignatureForm } from "./reasoning.ts";

type FilePart = LanguageModelV4FilePart;
type ResultOutput = LanguageModelV4ToolResultPart["output"];
type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/** What the messages of a kind may have. */
export interface PromptForm extends MediaForm {
  signatures: SignatureForm;
  /** Returns the options of a part with this `cache_control`. Undefined where there are no marks. */
  cacheOptions?: (mark: JsonObject) => SharedV4ProviderOptions;
  /** Whether messages of the system may follow others. */
  takesLateInstructions: boolean;
  /** Returns whether the result of a tool may have an image or a file. Undefined where none may. */
  takesInResult?: (file: FilePart) => boolean;
}

/** Translates the messages of a chat completion. Throws `invalid_param`. */
export function promptOf(
  messages: readonly JsonObject[],
  form: PromptForm,
): LanguageModelV4Message[] {
  const prompt: LanguageModelV4Message[] = [];
  const toolNames = new Map<string, string>();
  const media = new ResultMedia((part) => placeOf(part, form));
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`;
    for (const [id, name] of calledTools(message)) toolNames.set(id, name);
    const isResult = message.role === "tool";
    if (!isResult) prompt.push(...movedMedia(media, form));
    const kept = isResult ? media.keep(message) : message;
    const translated = messagesOf(kept, path, form, toolNames);
    requirePlace(translated, prompt, path, form);
    for (const one of translated) append(prompt, one);
  }
  prompt.push(...movedMedia(media, form));
  if (!prompt.every(isSystem)) return prompt;
  throw invalidParam("messages", "must have a message of a user, an assistant or a tool");
}

/** Throws for messages of the system after others, where the provider does not take them there. */
function requirePlace(
  messages: readonly LanguageModelV4Message[],
  before: readonly LanguageModelV4Message[],
  path: string,
  { takesLateInstructions }: PromptForm,
): void {
  if (takesLateInstructions || !messages.some(isSystem) || before.every(isSystem)) return;
  const instead = "let messages of the system and the developer be the first ones";
  throw notSupported(`${path}.role`, instead);
}

function isSystem({ role }: LanguageModelV4Message): boolean {
  return role === "system";
}

/** The results of parallel calls are one turn. */
function append(prompt: LanguageModelV4Message[], message: LanguageModelV4Message): void {
  const last = prompt.at(-1);
  if (message.role === "tool" && last?.role === "tool") last.content.push(...message.content);
  else prompt.push(message);
}

/** What of a result the provider could not be sent is a note, so that no session gets stuck. */
function placeOf(part: JsonObject, form: PromptForm): ResultPlace {
  try {
    const file = mediaPart(part, "", form);
    return form.takesInResult?.(file) === true ? "inside" : "behind";
  } catch (error) {
    if (error instanceof GatewayError) return "nowhere";
    throw error;
  }
}

function movedMedia(media: ResultMedia, form: PromptForm): LanguageModelV4Message[] {
  const moved = media.end();
  return moved === undefined
    ? []
    : [{ role: "user", content: userContent(moved.content, "messages", form) }];
}

/** Returns the options of a part, or of a tool, that ends a cached prefix. */
export function cacheOptions(
  mark: unknown,
  { cacheOptions: optionsOf }: PromptForm,
): { providerOptions?: SharedV4ProviderOptions } {
  if (!isJsonObject(mark)) return {};
  // Other providers cache without marks.
  if (optionsOf === undefined) return {};
  return { providerOptions: optionsOf(mark) };
}

function calledTools({ tool_calls: calls }: JsonObject): [string, string][] {
  return partsOf(calls).map(({ id, function: called }) => {
    return [String(id), isJsonObject(called) ? String(called.name) : ""];
  });
}

function messagesOf(
  message: JsonObject,
  path: string,
  form: PromptForm,
  toolNames: ReadonlyMap<string, string>,
): LanguageModelV4Message[] {
  const other = Object.keys(message).find((name) => !isKnown(name, message));
  if (other !== undefined) throw notSupported(`${path}.${other}`);
  const { role, content } = message;
  if (role === "user") return [{ role, content: userContent(content, `${path}.content`, form) }];
  if (role === "assistant") {
    const parts = assistantContent(message, path, form);
    // A turn of thinking alone says nothing that a provider could be sent.
    return parts.every(({ type }) => type === "reasoning") ? [] : [{ role, content: parts }];
  }
  if (role === "tool") {
    const toolCallId = String(message.tool_call_id);
    const toolName = toolNames.get(toolCallId) ?? "tool";
    const output = resultOutput(message, form);
    const cache = cacheOptions(lastMark(content), form);
    return [{ role, content: [{ type: "tool-result", toolCallId, toolName, output, ...cache }] }];
  }
  if (content === "") return [];
  if (typeof content === "string") return [{ role: "system", content }];
  return partsOf(content).map(({ text, cache_control }) => ({
    role: "system",
    content: String(text),
    ...cacheOptions(cache_control, form),
  }));
}

function resultOutput(message: JsonObject, form: PromptForm): ResultOutput {
  const { content } = message;
  if (!hasMedia(message)) {
    const text = joinedText(content);
    // Some providers refuse a blank result.
    return { type: "text", value: text.trim() === "" ? "(empty)" : text };
  }
  const value = partsOf(content)
    .filter(({ text }) => text !== "")
    .map((part): FilePart | LanguageModelV4TextPart => {
      if (part.type !== "text") return mediaPart(part, "", form);
      return { type: "text", text: String(part.text) };
    });
  return { type: "content", value };
}

/** The members that are translated, and those of responses that clients send back. */
const knownMembers: ReadonlySet<string> = new Set([
  "role",
  "content",
  "refusal",
  "tool_calls",
  "tool_call_id",
  "reasoning_details",
  "reasoning_content",
  "reasoning",
  "parsed",
]);

function isKnown(name: string, { role, [name]: value }: JsonObject): boolean {
  if (value === null || value === undefined) return true;
  // The name of a function whose call has it, too.
  if (name === "name" && role === "tool") return true;
  return knownMembers.has(name) || (Array.isArray(value) && value.length === 0);
}

function partsOf(content: unknown): readonly JsonObject[] {
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

function lastMark(content: unknown): unknown {
  return partsOf(content).at(-1)?.cache_control;
}

function joinedText(content: unknown): string {
  if (typeof content === "string") return content;
  return partsOf(content)
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("\n");
}

function userContent(
  content: unknown,
  path: string,
  form: PromptForm,
): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return partsOf(content).map((part, index) => {
    const at = `${path}[${index}]`;
    const cache = cacheOptions(part.cache_control, form);
    if (part.type === "text") return { type: "text", text: String(part.text), ...cache };
    return { ...mediaPart(part, at, form), ...cache };
  });
}

function assistantContent(message: JsonObject, path: string, form: PromptForm): AssistantContent {
  const { content, refusal, tool_calls: calls } = message;
  const signed = readReasoning(form.signatures, message.reasoning_details);
  const texts: LanguageModelV4TextPart[] = [];
  if (typeof content === "string" && content !== "") texts.push({ type: "text", text: content });
  for (const part of partsOf(content)) {
    const text = String(part.type === "refusal" ? part.refusal : part.text);
    if (text === "") continue;
    const cache = cacheOptions(part.cache_control, form);
    texts.push({ type: "text", text, ...cache });
  }
  if (typeof refusal === "string" && refusal !== "") texts.push({ type: "text", text: refusal });
  if (signed.text !== undefined) {
    const last = texts.pop() ?? { type: "text", text: "" };
    texts.push({ ...last, providerOptions: signed.text });
  }
  const called = partsOf(calls).map((call, index) => {
    const providerOptions = signed.calls.get(String(call.id));
    const part = toolCall(call, `${path}.tool_calls[${index}]`);
    return providerOptions === undefined ? part : { ...part, providerOptions };
  });
  return [...signed.thoughts, ...texts, ...called];
}

function toolCall({ id, type, function: called }: JsonObject, path: string) {
  if (type !== "function" || !isJsonObject(called)) {
    throw notSupported(`${path}.type`, 'use "function"');
  }
  const input = parseArguments(String(called.arguments));
  const toolName = String(called.name);
  return { type: "tool-call" as const, toolCallId: String(id), toolName, input };
}

/**
 * A model may write arguments that are no JSON object, and stops within them at an output limit. Their call
 * stays in the conversation, with the text as it is.
 */
function parseArguments(text: string): JsonObject {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    input = undefined;
  }
  if (isJsonObject(input)) return input;
  return text.trim() === "" || input === null ? {} : { arguments: text };
}
