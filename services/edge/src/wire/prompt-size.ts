import type { MessageInitShape } from "@bufbuild/protobuf";
import { codePoints } from "@tollgate/kit/code-points";
import type { JsonObject } from "@tollgate/kit/json";
import type { PromptSizeSchema } from "@tollgate/proto/tollgate/v1/chat";

/**
 * Sizes what the model reads: all text of the messages, and the tools and the response format as
 * they are written. An image counts as a part, its URL or bytes as nothing.
 */
export function measurePrompt(body: JsonObject): MessageInitShape<typeof PromptSizeSchema> {
  const messages = body.messages as readonly unknown[];
  const size = { bytes: 0, characters: 0, imageParts: 0, firstImageParam: "" };
  for (const [index, message] of messages.entries()) {
    addImages(message, index, size);
    addText(message, size);
  }
  for (const written of [body.tools, body.tool_choice, body.response_format]) {
    if (written !== undefined) addString(JSON.stringify(written), size);
  }
  return {
    textBytes: BigInt(size.bytes),
    textCharacters: BigInt(size.characters),
    messages: messages.length,
    imageParts: size.imageParts,
    firstImageParam: size.firstImageParam,
  };
}

interface Size {
  bytes: number;
  characters: number;
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

function addText(value: unknown, size: Size): void {
  if (typeof value === "string") addString(value, size);
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name !== "image_url") addText(inner, size);
  }
}

function addString(text: string, size: Size): void {
  size.bytes += Buffer.byteLength(text);
  size.characters += codePoints(text);
}
