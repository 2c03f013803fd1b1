import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { addMessageText, addText, type TextSize } from "@tollgate/core/text-size";
import type { PromptSize } from "@tollgate/proto/tollgate/v1/chat";
import {
  addUrl,
  newMeasure,
  type PromptMeasure,
  promptSizeOf,
} from "../../billable/prompt-measure.ts";

/**
 * Measures the text that the model reads: the text of the messages, and the JSON of the tools and
 * the response format. An image counts as a part, and its URL or bytes as no text. Tools and format
 * are counted separately, because a conversation does not store them.
 */
export function measurePrompt(body: JsonObject): PromptSize {
  const messages = body.messages as readonly unknown[];
  const size = newMeasure();
  for (const [index, message] of messages.entries()) {
    addImages(message, index, size);
    addMessageText(message, size);
  }
  const unstored: TextSize = { bytes: 0, characters: 0 };
  for (const member of [body.tools, body.tool_choice, body.response_format]) {
    if (member !== undefined) addText(JSON.stringify(member), unstored);
  }
  return {
    ...promptSizeOf(size, messages.length),
    textBytes: BigInt(size.bytes + unstored.bytes),
    textCharacters: BigInt(size.characters + unstored.characters),
    unstoredTextBytes: BigInt(unstored.bytes),
    unstoredTextCharacters: BigInt(unstored.characters),
  };
}

function addImages(message: unknown, index: number, size: PromptMeasure): void {
  const content = (message as JsonObject).content;
  if (!Array.isArray(content)) return;
  for (const [partIndex, part] of content.entries()) {
    const { type, image_url: image } = part as JsonObject;
    if (type !== "image_url") continue;
    const path = `messages[${index}].content[${partIndex}]`;
    size.imageParts += 1;
    size.firstImageParam ||= path;
    if (isJsonObject(image)) addUrl(image.url, `${path}.image_url.url`, size);
  }
}
