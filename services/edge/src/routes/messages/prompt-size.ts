import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { addText } from "@tollgate/core/text-size";
import type { PromptSize } from "@tollgate/proto/tollgate/v1/chat";
import {
  addUrl,
  newMeasure,
  type PromptMeasure,
  promptSizeOf,
} from "../../billable/prompt-measure.ts";

/**
 * Measures what the model reads of a Messages request: the text of the system and the messages, and
 * the JSON of the tools. An image counts as a part, and a PDF by its pages.
 */
export function measureMessages(body: JsonObject): PromptSize {
  const { system, messages } = body;
  const size = newMeasure();
  addContent(system, "system", size);
  const list = Array.isArray(messages) ? messages : [];
  for (const [index, message] of list.entries()) {
    addMessage((message as JsonObject).content, `messages[${index}].content`, size);
  }
  for (const name of otherTexts) {
    const member = body[name];
    if (member !== undefined && member !== null) addText(JSON.stringify(member), size);
  }
  return promptSizeOf(size, list.length);
}

/** The members that the model reads besides the system and the messages. */
const otherTexts = ["tools", "tool_choice", "output_config", "output_format", "context_management"];

/**
 * Every model takes the results of tools, and what an agent puts beside them, as Claude Code does with
 * the pages of a PDF: those without vision with a note in place of an image.
 */
function addMessage(content: unknown, path: string, size: PromptMeasure): void {
  const { firstImageParam } = size;
  addContent(content, path, size);
  if (hasResults(content)) size.firstImageParam = firstImageParam;
}

function hasResults(content: unknown): boolean {
  return (
    Array.isArray(content) &&
    content.some((block) => isJsonObject(block) && block.type === "tool_result")
  );
}

function addContent(content: unknown, path: string, size: PromptMeasure): void {
  if (typeof content === "string") addText(content, size);
  if (!Array.isArray(content)) return;
  for (const [index, block] of content.entries()) {
    if (isJsonObject(block)) addBlock(block, `${path}[${index}]`, size);
  }
}

function addBlock(block: JsonObject, path: string, size: PromptMeasure): void {
  const source = isJsonObject(block.source) ? block.source : {};
  addUrl(source.url, `${path}.source.url`, size);
  const pages = pagesOf(block, size);
  if (block.type === "tool_result") addContent(block.content, `${path}.content`, size);
  else if (source.type === "content") addContent(source.content, `${path}.source.content`, size);
  else if (pages > 0) size.pages += pages;
  else if (block.type !== "image") addText(textOf(block), size);
  else {
    size.imageParts += 1;
    size.firstImageParam ||= path;
  }
}

/** Returns the pages of a document that is not text; 0 for any other block. */
function pagesOf({ type, source }: JsonObject, { pageCounter }: PromptMeasure): number {
  if (type !== "document" || !isJsonObject(source)) return 0;
  if (source.type === "base64") return pageCounter.pagesOf(String(source.data));
  return source.type === "url" || source.type === "file" ? pageCounter.pagesOf(undefined) : 0;
}

/** Returns the text of a block; the JSON of one that is not text alone. */
function textOf({ type, ...members }: JsonObject): string {
  if (type === "text") return String(members.text);
  if (type === "thinking") return String(members.thinking);
  return JSON.stringify(members);
}
