import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { invalidParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { notSupported } from "../not-supported.ts";
import { type MediaForm, mediaPart } from "./media-part.ts";
import { readReasoning, type SignatureForm } from "./reasoning.ts";

type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/** What the messages of a kind may have. */
export interface PromptForm extends MediaForm {
  signatures: SignatureForm;
  /** Returns the options of a part with this `cache_control`. Undefined where there are no marks. */
  cacheOptions?: (mark: JsonObject) => SharedV4ProviderOptions;
  /** Whether messages of the system may follow others. */
  takesLateInstructions: boolean;
}

/** Translates the messages of a chat completion. Throws `invalid_param`. */
export function promptOf(
  messages: readonly JsonObject[],
  form: PromptForm,
): LanguageModelV4Message[] {
  const prompt: LanguageModelV4Message[] = [];
  const toolNames = new Map<string, string>();
  for (const [index, message] of messages.entries()) {
    for (const [id, name] of calledTools(message)) toolNames.set(id, name);
    const isLate = prompt.some(({ role }) => role !== "system");
    for (const one of messagesOf(message, `messages[${index}]`, form, toolNames)) {
      if (one.role === "system" && isLate && !form.takesLateInstructions) {
        const instead = "let messages of the system and the developer be the first ones";
        throw notSupported(`messages[${index}].role`, instead);
      }
      const last = prompt.at(-1);
      // The results of parallel calls are one turn.
      if (one.role === "tool" && last?.role === "tool") last.content.push(...one.content);
      else prompt.push(one);
    }
  }
  if (prompt.some(({ role }) => role !== "system")) return prompt;
  throw invalidParam("messages", "must have a message of a user, an assistant or a tool");
}

/** Returns the options of a part, or of a tool, that ends a cached prefix. Throws `invalid_param`. */
export function cacheOptions(
  mark: unknown,
  path: string,
  { cacheOptions: optionsOf }: PromptForm,
): { providerOptions?: SharedV4ProviderOptions } {
  if (!isJsonObject(mark)) return {};
  if (optionsOf === undefined) throw notSupported(`${path}.cache_control`);
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
  const other = Object.keys(message).find((name) => !isKnown(name, message[name]));
  if (other !== undefined) throw notSupported(`${path}.${other}`);
  const { role, content } = message;
  if (role === "user") return [{ role, content: userContent(content, `${path}.content`, form) }];
  if (role === "assistant") return [{ role, content: assistantContent(message, path, form) }];
  if (role === "tool") {
    const toolCallId = String(message.tool_call_id);
    const toolName = toolNames.get(toolCallId) ?? "tool";
    const output = { type: "text" as const, value: joinedText(content) };
    const cache = cacheOptions(lastMark(content), `${path}.content`, form);
    return [{ role, content: [{ type: "tool-result", toolCallId, toolName, output, ...cache }] }];
  }
  if (typeof content === "string") return [{ role: "system", content }];
  return partsOf(content).map(({ text, cache_control }, index) => ({
    role: "system",
    content: String(text),
    ...cacheOptions(cache_control, `${path}.content[${index}]`, form),
  }));
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

function isKnown(name: string, value: unknown): boolean {
  if (value === null || value === undefined) return true;
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
    const cache = cacheOptions(part.cache_control, at, form);
    if (part.type === "text") return { type: "text", text: String(part.text), ...cache };
    return { ...mediaPart(part, at, form), ...cache };
  });
}

function assistantContent(message: JsonObject, path: string, form: PromptForm): AssistantContent {
  const { content, refusal, tool_calls: calls } = message;
  const signed = readReasoning(form.signatures, message.reasoning_details);
  const texts: LanguageModelV4TextPart[] = [];
  if (typeof content === "string") texts.push({ type: "text", text: content });
  for (const [index, part] of partsOf(content).entries()) {
    const text = String(part.type === "refusal" ? part.refusal : part.text);
    const cache = cacheOptions(part.cache_control, `${path}.content[${index}]`, form);
    texts.push({ type: "text", text, ...cache });
  }
  if (typeof refusal === "string") texts.push({ type: "text", text: refusal });
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
  const input = parseArguments(String(called.arguments), `${path}.function.arguments`);
  const toolName = String(called.name);
  return { type: "tool-call" as const, toolCallId: String(id), toolName, input };
}

function parseArguments(text: string, path: string): JsonObject {
  if (text === "") return {};
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    input = undefined;
  }
  if (isJsonObject(input)) return input;
  throw invalidParam(path, "must be the text of a JSON object for this model");
}
