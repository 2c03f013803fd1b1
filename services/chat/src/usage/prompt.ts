import { countPages, estimatePages } from "@tollgate/core/document-pages";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { TextSample } from "../tokenizer/text-sample.ts";

/** What a model reads of a request, by what its tokens are counted from. */
export interface Prompt {
  text: TextSample;
  messages: number;
  images: number;
  /** Pages of documents. */
  pages: number;
  /** Base64 of documents. */
  documentCharacters: number;
  audioSeconds: number;
  /** Characters of what only the provider can read: signatures, and encrypted reasoning. */
  sealedCharacters: number;
}

/**
 * Reads the prompt of a request of any wire: the text of messages and instructions, and the JSON of
 * tools and formats.
 */
export function readPrompt(request: JsonObject): Prompt {
  const prompt: Prompt = {
    text: new TextSample(),
    messages: 0,
    images: 0,
    pages: 0,
    documentCharacters: 0,
    audioSeconds: 0,
    sealedCharacters: 0,
  };
  for (const name of conversations) {
    const value = request[name];
    if (Array.isArray(value)) prompt.messages += value.length;
    addValue(name, value, prompt);
  }
  for (const name of described) {
    const value = request[name];
    if (value !== undefined && value !== null) prompt.text.add(JSON.stringify(value));
  }
  return prompt;
}

const conversations = ["system", "instructions", "messages", "input"];
const described = ["tools", "tool_choice", "response_format", "text", "output_config"];

/** Members that identify or mark a part, and that no model reads. */
const labels: ReadonlySet<string> = new Set([
  "type",
  "role",
  "id",
  "call_id",
  "tool_call_id",
  "tool_use_id",
  "status",
  "detail",
  "media_type",
  "cache_control",
]);
const sealed: ReadonlySet<string> = new Set(["signature", "encrypted_content", "data"]);
const addresses: ReadonlySet<string> = new Set(["url", "image_url", "file_url"]);

/** Pages are counted in so much base64 of a request, which takes at most some 50 ms; others by their size. */
const maxCountedCharacters = 2 * 1024 * 1024;

/** Base64 of a WAV with 16,000 samples of two bytes in a second. */
const audioCharactersPerSecond = (32_000 * 4) / 3;
function addValue(name: string, value: unknown, prompt: Prompt): void {
  if (typeof value === "string") {
    if (sealed.has(name)) prompt.sealedCharacters += value.length;
    else if (addresses.has(name) && value.startsWith("data:")) prompt.images += 1;
    else if (!labels.has(name)) prompt.text.add(value);
  } else if (Array.isArray(value)) {
    for (const item of value) addValue(name, item, prompt);
  } else if (isJsonObject(value) && !labels.has(name)) addPart(value, prompt);
}

function addPart(part: JsonObject, prompt: Prompt): void {
  switch (part.type) {
    case "image":
    case "image_url":
    case "input_image":
    case "computer_screenshot":
      prompt.images += 1;
      return;
    case "document":
    case "file":
    case "input_file":
      addDocument(part, prompt);
      return;
    case "input_audio":
      prompt.audioSeconds += Math.ceil(dataOf(part.input_audio).length / audioCharactersPerSecond);
      return;
    case "tool_use":
    case "server_tool_use":
      prompt.text.add(`${part.name}${JSON.stringify(part.input ?? {})}`);
      return;
    default:
      for (const [name, value] of Object.entries(part)) addValue(name, value, prompt);
  }
}

/** A document of text, or of parts, is read as text; any other by its pages. */
function addDocument(part: JsonObject, prompt: Prompt): void {
  const { source, title, context } = part;
  for (const text of [title, context]) if (typeof text === "string") prompt.text.add(text);
  if (isJsonObject(source) && source.type === "text") {
    prompt.text.add(String(source.data));
  } else if (isJsonObject(source) && source.type === "content") {
    addValue("content", source.content, prompt);
  } else {
    const data = dataOf(source ?? part.file ?? part);
    prompt.documentCharacters += data.length;
    const isCounted = prompt.documentCharacters <= maxCountedCharacters;
    prompt.pages += isCounted ? countPages(data) : estimatePages(data);
  }
}

/** Returns the base64 in an object; an empty text where it names what the provider fetches. */
function dataOf(source: unknown): string {
  if (!isJsonObject(source)) return "";
  const data = source.data ?? source.file_data;
  return typeof data === "string" ? data.replace(/^data:[^,]{0,100},/, "") : "";
}
