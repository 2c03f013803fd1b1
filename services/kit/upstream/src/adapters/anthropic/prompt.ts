import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { invalidParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { notSupported } from "./members.ts";
import { readReasoning } from "./reasoning.ts";

type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/** Translates the messages of a chat completion. Throws `invalid_param`. */
export function promptOf(messages: readonly JsonObject[]): LanguageModelV4Message[] {
  const prompt = messages.flatMap((message, index) => messagesOf(message, `messages[${index}]`));
  if (prompt.some(({ role }) => role !== "system")) return prompt;
  throw invalidParam("messages", "must have a message of a user, an assistant or a tool");
}

/** Returns the options of a part that ends a cached prefix, as `cache_control` marks it. */
export function cacheOptions(mark: unknown): { providerOptions?: SharedV4ProviderOptions } {
  if (!isJsonObject(mark)) return {};
  return { providerOptions: { anthropic: { cacheControl: mark } } as SharedV4ProviderOptions };
}

function messagesOf(message: JsonObject, path: string): LanguageModelV4Message[] {
  const other = Object.keys(message).find((name) => !isKnown(name, message[name]));
  if (other !== undefined) throw notSupported(`${path}.${other}`);
  const { role, content } = message;
  if (role === "user") return [{ role, content: userContent(content, `${path}.content`) }];
  if (role === "assistant") return [{ role, content: assistantContent(message, path) }];
  if (role === "tool") {
    const toolCallId = String(message.tool_call_id);
    const output = { type: "text" as const, value: joinedText(content) };
    const cache = cacheOptions(lastPart(content)?.cache_control);
    const result = { type: "tool-result" as const, toolCallId, toolName: "tool", output, ...cache };
    return [{ role, content: [result] }];
  }
  if (typeof content === "string") return [{ role: "system", content }];
  return partsOf(content).map(({ text, cache_control }) => ({
    role: "system",
    content: String(text),
    ...cacheOptions(cache_control),
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

function lastPart(content: unknown): JsonObject | undefined {
  return partsOf(content).at(-1);
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
): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return partsOf(content).map((part, index) => {
    const cache = cacheOptions(part.cache_control);
    if (part.type === "text") return { type: "text", text: String(part.text), ...cache };
    return { ...imagePart(part, `${path}[${index}]`), ...cache };
  });
}

const dataUrl = /^data:(image\/[a-z0-9.+-]+);base64,/i;

function imagePart({ type, image_url: image }: JsonObject, path: string): LanguageModelV4FilePart {
  if (type !== "image_url" || !isJsonObject(image)) {
    throw notSupported(`${path}.type`, 'use "text" or "image_url"');
  }
  if (image.detail === "low" || image.detail === "high") {
    throw notSupported(`${path}.image_url.detail`);
  }
  const url = String(image.url);
  const [head, mediaType] = dataUrl.exec(url) ?? [];
  if (head !== undefined && mediaType !== undefined) {
    return { type: "file", mediaType, data: { type: "data", data: url.slice(head.length) } };
  }
  if (!/^https:/i.test(url) || !URL.canParse(url)) {
    const problem = "must be an https URL, or a data:image URL in base64, for this model";
    throw invalidParam(`${path}.image_url.url`, problem);
  }
  return { type: "file", mediaType: "image/*", data: { type: "url", url: new URL(url) } };
}

function assistantContent(message: JsonObject, path: string): AssistantContent {
  const { content, refusal, tool_calls: calls } = message;
  const parts: AssistantContent = readReasoning(message.reasoning_details);
  if (typeof content === "string") parts.push({ type: "text", text: content });
  for (const part of partsOf(content)) {
    const text = String(part.type === "refusal" ? part.refusal : part.text);
    parts.push({ type: "text", text, ...cacheOptions(part.cache_control) });
  }
  if (typeof refusal === "string") parts.push({ type: "text", text: refusal });
  for (const [index, call] of partsOf(calls).entries()) {
    parts.push(toolCall(call, `${path}.tool_calls[${index}]`));
  }
  return parts;
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
