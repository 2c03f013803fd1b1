import type { ChatInput } from "@tollgate/catalog/chat-inputs";
import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { leftOut, leftOutNote } from "@tollgate/providers/result-media";
import { type ChatContent, chatContentOf } from "../chat-content.ts";
import { notTaken, pdfPart } from "../media-parts.ts";
import { notTranslated, refuseOthers } from "../not-translated.ts";
import { readThinking, type Thinking } from "./thinking.ts";

/** What the request for one slot can have. */
export interface PromptTranslation {
  /** Whether the marks of the prompt cache are kept. Other providers cache without them. */
  keepsCacheMarks: boolean;
  /** What messages may have besides text and images. */
  inputs: ReadonlySet<ChatInput>;
  takesImages: boolean;
}

/** Returns the messages of a chat completion request. Throws `invalid_param`. */
export function messagesOfPrompt(
  { system, messages }: JsonObject,
  translation: PromptTranslation,
): JsonObject[] {
  return [
    ...systemMessages(system, translation),
    ...objectsIn(messages).flatMap((message, index) =>
      messagesOf(message, `messages[${index}]`, translation),
    ),
  ];
}

function systemMessages(system: unknown, translation: PromptTranslation): JsonObject[] {
  if (system === undefined || system === null) return [];
  const content = textContent(system, "system", translation);
  return content.length === 0 ? [] : [{ role: "system", content }];
}

function messagesOf(
  message: JsonObject,
  path: string,
  translation: PromptTranslation,
): JsonObject[] {
  const { role, content, ...others } = message;
  refuseOthers(others, path);
  const at = `${path}.content`;
  if (role === "assistant") return assistantMessages(blocksOf(content), at, translation);
  if (role === "system") return [{ role, content: textContent(content, at, translation) }];
  return userMessages(blocksOf(content), at, translation);
}

/** The results of tools come first, as chat completions require after the calls. */
function userMessages(
  blocks: readonly JsonObject[],
  path: string,
  translation: PromptTranslation,
): JsonObject[] {
  const results: JsonObject[] = [];
  const parts: JsonObject[] = [];
  const partsOf = blocks.some(({ type }) => type === "tool_result") ? partsBeside : userParts;
  for (const [index, block] of blocks.entries()) {
    const at = `${path}[${index}]`;
    if (block.type === "tool_result") results.push(toolMessage(block, at, translation));
    else parts.push(...partsOf(block, at, translation));
  }
  if (parts.length === 0 && results.length > 0) return results;
  return [...results, { role: "user", content: chatContentOf(parts) }];
}

const withFiles: ReadonlySet<ChatInput> = new Set(["pdf"]);

/**
 * Returns a block beside results as parts. Agents put there what their tools read, as Claude Code does
 * with a PDF: a note stands in place of what the model does not take, as it does in a result.
 */
function partsBeside(
  block: JsonObject,
  path: string,
  translation: PromptTranslation,
): readonly JsonObject[] {
  const { takesImages, inputs } = translation;
  return userParts(block, path, { ...translation, inputs: withFiles }).map((part) => {
    const { type, cache_control } = part;
    const isTaken = type === "file" ? inputs.has("pdf") : takesImages || type !== "image_url";
    if (isTaken) return part;
    return { type: "text", text: leftOut(part), ...markOf(cache_control, translation) };
  });
}

function userParts(
  block: JsonObject,
  path: string,
  translation: PromptTranslation,
): readonly JsonObject[] {
  if (block.type === "text") return [textPart(block, path, translation)];
  if (block.type === "image") return [imagePart(block, path, translation)];
  if (block.type === "document") return documentParts(block, path, translation);
  throw notTranslated(`${path}.type`);
}

function toolMessage(block: JsonObject, path: string, translation: PromptTranslation): JsonObject {
  const { type: _, tool_use_id, content, is_error, cache_control, ...others } = block;
  refuseOthers(others, path);
  const texts = resultContent(content ?? "", `${path}.content`, translation);
  const marked = withMark(texts, cache_control, translation);
  const failed = is_error === true ? prefixed("Error: ", marked) : marked;
  return { role: "tool", tool_call_id: tool_use_id, content: failed };
}

function prefixed(prefix: string, content: ChatContent): ChatContent {
  if (typeof content === "string") return `${prefix}${content}`;
  return [{ type: "text", text: prefix }, ...content];
}

/** Puts the mark of a block on the last part of its content. */
function withMark(
  content: ChatContent,
  mark: unknown,
  { keepsCacheMarks }: PromptTranslation,
): ChatContent {
  if (!keepsCacheMarks || !isJsonObject(mark)) return content;
  return marked(blocksOf(content), { cache_control: mark });
}

/** A turn of thinking alone, or of empty texts, is left out: not all providers can be sent one. */
function assistantMessages(
  blocks: readonly JsonObject[],
  path: string,
  translation: PromptTranslation,
): JsonObject[] {
  const parts: JsonObject[] = [];
  const calls: JsonObject[] = [];
  const thoughts: Thinking[] = [];
  for (const [index, block] of blocks.entries()) {
    const at = `${path}[${index}]`;
    if (block.type === "text") parts.push(...textParts(block, at, translation));
    else if (block.type === "tool_use") calls.push(toolCall(block, at));
    else if (isThinking(block)) thoughts.push(readThinking(block));
    else throw notTranslated(`${at}.type`);
  }
  if (parts.length === 0 && calls.length === 0) return [];
  return [{ role: "assistant", ...generated(parts, calls, thoughts) }];
}

function generated(
  parts: JsonObject[],
  calls: JsonObject[],
  thoughts: readonly Thinking[],
): JsonObject {
  const reasoning = thoughts.map(({ text }) => text).join("");
  const details = thoughts.flatMap((thought) => thought.details);
  return {
    content: parts.length === 0 ? null : chatContentOf(parts),
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Providers refuse an empty text, which a turn may have beside its calls. */
function textParts(block: JsonObject, path: string, translation: PromptTranslation): JsonObject[] {
  return block.text === "" ? [] : [textPart(block, path, translation)];
}

function isThinking({ type }: JsonObject): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function toolCall(block: JsonObject, path: string): JsonObject {
  const { type: _, id, name, input = {}, cache_control: _mark, caller, ...others } = block;
  refuseOthers(others, path);
  if (isJsonObject(caller) && caller.type !== "direct") throw notTranslated(`${path}.caller`);
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

function textContent(content: unknown, path: string, translation: PromptTranslation): ChatContent {
  if (typeof content === "string") return content;
  const parts = objectsIn(content).flatMap((block, index) => {
    const at = `${path}[${index}]`;
    if (block.type === "text") return [textPart(block, at, translation)];
    if (block.type === "document")
      return documentParts(block, at, translation).map(requireText(at));
    throw notTranslated(`${at}.type`);
  });
  return chatContentOf(parts);
}

/** Returns what the result of a tool has. What a chat completion has no part for is a note. */
function resultContent(
  content: unknown,
  path: string,
  translation: PromptTranslation,
): ChatContent {
  if (typeof content === "string") return content;
  const parts = objectsIn(content).flatMap((block, index) =>
    resultParts(block, `${path}[${index}]`, translation),
  );
  return chatContentOf(parts);
}

function resultParts(
  block: JsonObject,
  path: string,
  translation: PromptTranslation,
): JsonObject[] {
  const { type, source, cache_control } = block;
  const { type: from, content, data } = isJsonObject(source) ? source : {};
  if (type === "text") return [textPart({ ...block, citations: null }, path, translation)];
  if (type === "document" && from === "content") {
    return blocksOf(content).flatMap((inner) => resultParts(inner, path, translation));
  }
  if (type === "document" && from === "text") {
    return [...documentParts({ ...block, citations: null }, path, translation)];
  }
  if (type === "image" && (from === "base64" || from === "url")) {
    return [imagePart({ type, source, cache_control }, path, translation)];
  }
  const mark = markOf(cache_control, translation);
  if (type === "document" && from === "base64") {
    return [{ ...pdfPart(String(data), block.title), ...mark }];
  }
  return [{ type: "text", text: resultText(block), ...mark }];
}

function resultText({ type, source, title, content, tool_name }: JsonObject): string {
  if (type === "tool_reference") return `[tool ${tool_name}]`;
  if (type !== "search_result") return leftOutNote(type);
  return [title, source, ...objectsIn(content).map(({ text }) => text)].filter(isText).join("\n\n");
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function textPart(block: JsonObject, path: string, translation: PromptTranslation): JsonObject {
  const { type, text, cache_control, citations, ...others } = block;
  refuseOthers(others, path);
  if (Array.isArray(citations) && citations.length > 0) throw notTranslated(`${path}.citations`);
  return { type, text, ...markOf(cache_control, translation) };
}

function imagePart(block: JsonObject, path: string, translation: PromptTranslation): JsonObject {
  const { type: _, source, cache_control, ...others } = block;
  refuseOthers(others, path);
  const { type, media_type, data, url } = isJsonObject(source) ? source : {};
  const isData = type === "base64";
  if (!isData && type !== "url") throw notTranslated(`${path}.source.type`);
  const address = isData ? `data:${media_type};base64,${data}` : url;
  return { type: "image_url", image_url: { url: address }, ...markOf(cache_control, translation) };
}

/** A document of text is text, one of parts is those, and a PDF is a file. */
function documentParts(
  block: JsonObject,
  path: string,
  translation: PromptTranslation,
): readonly JsonObject[] {
  const { type: _, source, title, context, cache_control, citations, ...others } = block;
  refuseOthers(others, path);
  if (isJsonObject(citations) && citations.enabled === true) {
    throw notTranslated(`${path}.citations`);
  }
  const { type, data, content, media_type } = isJsonObject(source) ? source : {};
  const texts = [title, context].filter(isText);
  const mark = markOf(cache_control, translation);
  if (type === "text") return [{ type: "text", text: [...texts, data].join("\n\n"), ...mark }];
  const head = texts.length === 0 ? [] : [{ type: "text", text: texts.join("\n\n") }];
  if (type === "content") {
    const inner = partsOfContent(content, `${path}.source.content`, translation);
    return marked([...head, ...inner], mark);
  }
  if (type !== "base64") throw notTranslated(`${path}.source.type`);
  if (media_type !== "application/pdf") throw notTranslated(`${path}.source.media_type`);
  if (!translation.inputs.has("pdf")) throw notTaken(`${path}.source.type`, "pdf");
  return marked([...head, pdfPart(String(data), title)], mark);
}

function partsOfContent(
  content: unknown,
  path: string,
  translation: PromptTranslation,
): readonly JsonObject[] {
  return blocksOf(content).map((block, index) => {
    const at = `${path}[${index}]`;
    if (block.type === "text") return textPart(block, at, translation);
    if (block.type === "image") return imagePart(block, at, translation);
    throw notTranslated(`${at}.type`);
  });
}

/** Returns parts of which the last one ends a cached prefix. */
function marked(parts: readonly JsonObject[], mark: JsonObject): JsonObject[] {
  const last = parts.at(-1);
  return last === undefined ? [] : [...parts.slice(0, -1), { ...last, ...mark }];
}

/** Returns a check of parts that may be text alone. */
function requireText(path: string): (part: JsonObject) => JsonObject {
  return (part) => {
    if (part.type !== "text") throw notTranslated(`${path}.source.type`);
    return part;
  };
}

function markOf(mark: unknown, { keepsCacheMarks }: PromptTranslation): JsonObject {
  return keepsCacheMarks && isJsonObject(mark) ? { cache_control: mark } : {};
}

function blocksOf(content: unknown): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content);
}
