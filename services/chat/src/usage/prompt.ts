import { PageCounter } from "@tollgate/core/document-pages";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { secondsOfAudio } from "@tollgate/core/wav-seconds";
import { TextSample } from "../tokenizer/text-sample.ts";

/** What a model reads of a request, by what its tokens are counted from. */
export interface Prompt {
  text: TextSample;
  messages: number;
  images: number;
  /** Pages of documents. */
  pages: number;
  /** Counts them. */
  pageCounter: PageCounter;
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
    pageCounter: new PageCounter(),
    audioSeconds: 0,
    sealedCharacters: 0,
  };
  for (const name of conversations) {
    const value = request[name];
    if (Array.isArray(value)) prompt.messages += value.length;
    else if (name === "input" && value !== undefined) prompt.messages += 1;
    addValue(name, value, prompt);
  }
  for (const name of described) {
    const value = request[name];
    if (value !== undefined && value !== null) prompt.text.add(JSON.stringify(value));
  }
  return prompt;
}

const conversations = ["system", "instructions", "messages", "input"];
const described = [
  "tools",
  "tool_choice",
  "response_format",
  "text",
  "output_config",
  // Members that a model may pass.
  "documents",
  "functions",
  "chat_template_kwargs",
  "structured_outputs",
];

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
      addAudio(part.input_audio, prompt);
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
    addFile(source ?? part.file ?? part, prompt);
  }
}

function addFile(file: unknown, prompt: Prompt): void {
  const { data, file_data, filename } = isJsonObject(file) ? file : {};
  if (typeof filename === "string") prompt.text.add(filename);
  const bytes = data ?? file_data;
  const isSent = typeof bytes === "string" && !/^https?:/i.test(bytes);
  prompt.pages += prompt.pageCounter.pagesOf(isSent ? bytes : undefined);
}

function addAudio(audio: unknown, prompt: Prompt): void {
  const { data, format } = isJsonObject(audio) ? audio : {};
  prompt.audioSeconds += secondsOfAudio(typeof data === "string" ? data : "", format);
}
