import type { JsonObject } from "@tollgate/core/json";
import { addMessageText, addText, type TextSize } from "@tollgate/core/text-size";
import type { PromptSize } from "@tollgate/proto/tollgate/v1/chat";

/**
 * Measures the text that the model reads: the text of the messages, and the JSON of the tools and
 * the response format. An image counts as a part, and its URL or bytes as no text. Tools and format
 * are counted separately, because a conversation does not store them.
 */
export function measurePrompt(body: JsonObject): PromptSize {
  const messages = body.messages as readonly unknown[];
  const size = { bytes: 0, characters: 0, imageParts: 0, firstImageParam: "" };
  for (const [index, message] of messages.entries()) {
    addImages(message, index, size);
    addMessageText(message, size);
  }
  const unstored: TextSize = { bytes: 0, characters: 0 };
  for (const member of [body.tools, body.tool_choice, body.response_format]) {
    if (member !== undefined) addText(JSON.stringify(member), unstored);
  }
  return {
    $typeName: "tollgate.v1.PromptSize",
    textBytes: BigInt(size.bytes + unstored.bytes),
    textCharacters: BigInt(size.characters + unstored.characters),
    unstoredTextBytes: BigInt(unstored.bytes),
    unstoredTextCharacters: BigInt(unstored.characters),
    messages: messages.length,
    imageParts: size.imageParts,
    firstImageParam: size.firstImageParam,
  };
}

interface Size extends TextSize {
  imageParts: number;
  firstImageParam: string;
}

function addImages(message: unknown, index: number, size: Size): void {
  const content = (message as JsonObject).content;
  if (!Array.isArray(content)) return;
  for (const [partIndex, part] of content.entries()) {
    if ((part as JsonObject).type !== "image_url") continue;
    size.imageParts += 1;
    size.firstImageParam ||= `messages[${index}].content[${partIndex}]`;
  }
}
