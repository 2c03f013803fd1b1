import type { JsonObject } from "@tollgate/core/json";
import { addMessageText, addText, type TextSize } from "@tollgate/core/text-size";
import type { PromptSize } from "@tollgate/proto/tollgate/v1/chat";

/**
 * Sizes what the model reads: all text of the messages, and the tools and the response format as
 * they are written. An image counts as a part, its URL or bytes as nothing. Tools and format are
 * told apart: they are said anew with each request, and are no part of a conversation.
 */
export function measurePrompt(body: JsonObject): PromptSize {
  const messages = body.messages as readonly unknown[];
  const size = { bytes: 0, characters: 0, imageParts: 0, firstImageParam: "" };
  for (const [index, message] of messages.entries()) {
    addImages(message, index, size);
    addMessageText(message, size);
  }
  const unstored: TextSize = { bytes: 0, characters: 0 };
  for (const written of [body.tools, body.tool_choice, body.response_format]) {
    if (written !== undefined) addText(JSON.stringify(written), unstored);
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
