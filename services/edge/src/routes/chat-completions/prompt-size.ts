import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { addMessageText, addText, type TextSize } from "@tollgate/core/text-size";
import type { PromptSize } from "@tollgate/proto/tollgate/v1/chat";
import {
  addAudio,
  addNeed,
  addUrl,
  newMeasure,
  type PromptMeasure,
  promptSizeOf,
} from "../../billable/prompt-measure.ts";

/**
 * Measures the text that the model reads: the text of the messages, and the JSON of the tools and
 * the response format. An image counts as a part, a file by its pages, and audio by its seconds; their
 * URLs and bytes are not text. Tools and format are counted separately, because a conversation does not
 * store them. So are the `passed` members, some of which are prompts.
 */
export function measurePrompt(body: JsonObject, passed: readonly unknown[] = []): PromptSize {
  const messages = body.messages as readonly unknown[];
  const size = newMeasure();
  for (const [index, message] of messages.entries()) {
    addMedia(message, index, size);
    addMessageText(message, size);
  }
  const unstored: TextSize = { bytes: 0, characters: 0 };
  for (const member of [body.tools, body.tool_choice, body.response_format, ...passed]) {
    if (member !== undefined && member !== null) addText(JSON.stringify(member), unstored);
  }
  return {
    ...promptSizeOf(size, messages.length),
    textBytes: BigInt(size.bytes + unstored.bytes),
    textCharacters: BigInt(size.characters + unstored.characters),
    unstoredTextBytes: BigInt(unstored.bytes),
    unstoredTextCharacters: BigInt(unstored.characters),
  };
}

function addMedia(message: unknown, index: number, size: PromptMeasure): void {
  const { role, content } = message as JsonObject;
  if (!Array.isArray(content)) return;
  const { firstImageParam } = size;
  for (const [partIndex, part] of content.entries()) {
    addPart(part as JsonObject, `messages[${index}].content[${partIndex}]`, size);
  }
  // Every model takes the results of tools, those without vision with a note in place of an image.
  if (role === "tool") size.firstImageParam = firstImageParam;
}

function addPart(part: JsonObject, path: string, size: PromptMeasure): void {
  const { type, image_url: image, file } = part;
  if (type === "image_url") {
    size.imageParts += 1;
    size.firstImageParam ||= path;
    if (isJsonObject(image)) addUrl(image.url, `${path}.image_url.url`, size);
  } else if (type === "input_audio") addAudio(part, path, size);
  else if (type === "file" && isJsonObject(file)) addFile(file, path, size);
}

function addFile(file: JsonObject, path: string, size: PromptMeasure): void {
  const { file_data: data, file_id: id, filename } = file;
  addNeed("pdf", path, size);
  if (typeof filename === "string") addText(filename, size);
  if (typeof id === "string") addNeed("stored", `${path}.file.file_id`, size);
  const isSent = typeof data === "string" && dataUrl.test(data);
  if (typeof data === "string" && !isSent) {
    addNeed("urls", `${path}.file.file_data`, size);
    addUrl(data, `${path}.file.file_data`, size);
  }
  size.pages += size.pageCounter.pagesOf(isSent ? data : undefined);
}

const dataUrl = /^data:/i;
