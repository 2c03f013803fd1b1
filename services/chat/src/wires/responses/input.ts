import type { ChatInput } from "@tollgate/catalog/chat-inputs";
import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { leftOutNote } from "@tollgate/providers/result-media";
import { type ChatContent, chatContentOf } from "../chat-content.ts";
import { notTaken, pdfPart } from "../media-parts.ts";
import { notTranslated, refuseOthers } from "../not-translated.ts";
import { detailsIn } from "../signed-details.ts";
import { functionName, searchCall } from "./tools.ts";

/** What messages may have besides text and images. */
type Inputs = ReadonlySet<ChatInput>;

/** Returns the messages of a chat completion request. Throws `invalid_param`. */
export function messagesOfInput({ instructions, input }: JsonObject, inputs: Inputs): JsonObject[] {
  const messages = new Conversation();
  if (typeof instructions === "string" && instructions !== "") {
    messages.add({ role: "system", content: instructions });
  }
  if (typeof input === "string") messages.add({ role: "user", content: input });
  for (const [index, item] of objectsIn(input).entries()) {
    addItem(messages, item, `input[${index}]`, inputs);
  }
  return messages.all();
}

/** Collects messages. The items that a model generated in one turn are one message. */
class Conversation {
  readonly #messages: JsonObject[] = [];
  #turn: JsonObject | undefined;
  #calls: JsonObject[] = [];
  #details: JsonObject[] = [];

  add(message: JsonObject): void {
    this.#end();
    this.#messages.push(message);
  }

  say(content: unknown): void {
    if (this.#calls.length > 0 || this.#turn?.content !== undefined) this.#end();
    this.#turn = { ...this.#turn, content };
  }

  think(text: string, details: readonly JsonObject[]): void {
    if (this.#calls.length > 0 || this.#turn?.content !== undefined) this.#end();
    const before = this.#turn?.reasoning_content ?? "";
    this.#turn = { ...this.#turn, reasoning_content: `${before}${text}` };
    this.#details.push(...details);
  }

  call(call: JsonObject): void {
    this.#turn ??= {};
    this.#calls.push(call);
  }

  all(): JsonObject[] {
    this.#end();
    return this.#messages;
  }

  #end(): void {
    if (this.#turn === undefined) return;
    const { content = null, reasoning_content } = this.#turn;
    if (content !== null || this.#calls.length > 0) {
      this.#messages.push({
        role: "assistant",
        content,
        ...(reasoning_content ? { reasoning_content } : {}),
        ...(this.#details.length === 0 ? {} : { reasoning_details: this.#details }),
        ...(this.#calls.length === 0 ? {} : { tool_calls: this.#calls }),
      });
    }
    this.#turn = undefined;
    this.#calls = [];
    this.#details = [];
  }
}

type AddItem = (messages: Conversation, item: JsonObject, path: string, inputs: Inputs) => void;

/** How each type of item becomes messages. */
const adders: Readonly<Record<string, AddItem>> = {
  message: addMessage,
  agent_message: addAgentMessage,
  // Models write no arguments as an empty text.
  function_call: (messages, item, path) =>
    addCall(messages, item, path, String(item.arguments) || "{}"),
  custom_tool_call: (messages, item, path) =>
    addCall(messages, item, path, JSON.stringify({ input: item.input })),
  tool_search_call: (messages, item) => messages.call(searchCall(item)),
  reasoning: (messages, item) => messages.think(summaryOf(item), detailsOf(item)),
  agent_reasoning: (messages, { text }) => messages.think(typeof text === "string" ? text : "", []),
  function_call_output: (messages, item) => addResult(messages, item, resultContent(item.output)),
  custom_tool_call_output: (messages, item) =>
    addResult(messages, item, resultContent(item.output)),
  tool_search_output: (messages, item) =>
    addResult(messages, item, `Tools found: ${namesOf(item.tools).join(", ") || "none"}`),
  // Its tools join those of the request.
  additional_tools: () => {},
};

function addItem(messages: Conversation, item: JsonObject, path: string, inputs: Inputs): void {
  const type = String(item.type ?? "message");
  const add = Object.hasOwn(adders, type) ? adders[type] : undefined;
  if (add === undefined) throw notTranslated(`${path}.type`);
  add(messages, item, path, inputs);
}

function addResult(messages: Conversation, { call_id }: JsonObject, content: ChatContent): void {
  messages.add({ role: "tool", tool_call_id: call_id, content });
}

/** What another agent of the client says to this one. A part that OpenAI encrypted is left out. */
function addAgentMessage(messages: Conversation, { author, content }: JsonObject): void {
  const texts = objectsIn(content).flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  if (texts.length === 0) return;
  const from = typeof author === "string" ? author : "another agent";
  messages.add({ role: "user", content: [`[message of ${from}]`, ...texts].join("\n") });
}

/** Returns the names of tools and of those in namespaces, as their functions are named. */
function namesOf(tools: unknown): string[] {
  return objectsIn(tools).flatMap((tool) =>
    tool.type === "namespace"
      ? objectsIn(tool.tools).map(({ name }) => functionName(name, tool.name))
      : [String(tool.name)],
  );
}

function addMessage(messages: Conversation, item: JsonObject, path: string, inputs: Inputs): void {
  const { type: _type, id: _id, status: _status, phase: _phase, role, content, ...others } = item;
  refuseOthers(others, path);
  const parts = contentOf(content, `${path}.content`, inputs);
  if (role === "assistant") messages.say(parts);
  else messages.add({ role, content: parts });
}

function addCall(messages: Conversation, item: JsonObject, path: string, text: string): void {
  const { call_id: id, name, namespace, caller } = item;
  if (isJsonObject(caller) && caller.type !== "direct") throw notTranslated(`${path}.caller`);
  const called = { name: functionName(name, namespace), arguments: text };
  messages.call({ id, type: "function", function: called });
}

function contentOf(content: unknown, path: string, inputs: Inputs): ChatContent {
  if (typeof content === "string") return content;
  return chatContentOf(
    objectsIn(content).map((part, index) => partOf(part, `${path}[${index}]`, inputs)),
  );
}

function partOf(part: JsonObject, path: string, inputs: Inputs): JsonObject {
  const { type, text, refusal, image_url: url, detail } = part;
  if (type === "input_text" || type === "output_text" || type === "text") {
    return { type: "text", text };
  }
  if (type === "refusal") return { type, refusal };
  if (type === "input_file") return filePart(part, path, inputs);
  if (type === "input_audio") return audioPart(part, path, inputs);
  if (type !== "input_image") throw notTranslated(`${path}.type`);
  if (typeof url !== "string") throw notTranslated(`${path}.file_id`);
  const known = detail === "low" || detail === "high" ? { detail } : {};
  return { type: "image_url", image_url: { url, ...known } };
}

/** Files other than PDFs have no place in a chat completion. */
function filePart(part: JsonObject, path: string, inputs: Inputs): JsonObject {
  const { file_data: data, filename, file_id, file_url } = part;
  if (typeof file_id === "string") throw notTranslated(`${path}.file_id`);
  if (typeof file_url === "string") throw notTranslated(`${path}.file_url`);
  const pdf = pdfIn(data);
  if (pdf === undefined) throw notTranslated(`${path}.file_data`);
  if (!inputs.has("pdf")) throw notTaken(`${path}.type`, "pdf");
  return pdfPart(pdf, filename);
}

/** The first bytes of a PDF in base64, or a data URL of one. */
const pdfStart = /^(?:JVBERi0|(data:application\/pdf(?:;[^;,]{1,300}){0,4};base64,))/i;

/** Returns the base64 of a PDF, which may be a data URL or stand alone; undefined for any other file. */
function pdfIn(data: unknown): string | undefined {
  if (typeof data !== "string") return undefined;
  const start = pdfStart.exec(data);
  return start === null ? undefined : data.slice(start[1]?.length ?? 0);
}

function audioPart({ input_audio }: JsonObject, path: string, inputs: Inputs): JsonObject {
  if (!inputs.has("audio")) throw notTaken(`${path}.type`, "audio");
  return { type: "input_audio", input_audio };
}

/** Returns what the result of a tool has. What a chat completion has no part for is a note. */
function resultContent(output: unknown): ChatContent {
  if (typeof output === "string") return output;
  const parts = objectsIn(output).map(resultPart);
  if (parts.some(({ type }) => type !== "text")) return parts;
  return parts.map(({ text }) => String(text)).join("\n");
}

function resultPart({ type, text, image_url: url, file_data, filename }: JsonObject): JsonObject {
  if (typeof text === "string") return { type: "text", text };
  if (type === "input_image" && typeof url === "string") {
    return { type: "image_url", image_url: { url } };
  }
  const pdf = pdfIn(file_data);
  return pdf === undefined ? { type: "text", text: leftOutNote(type) } : pdfPart(pdf, filename);
}

function summaryOf({ summary, content }: JsonObject): string {
  return [...objectsIn(summary), ...objectsIn(content)]
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("\n\n");
}

/** Thinking that OpenAI encrypted means nothing to another provider. */
function detailsOf({ encrypted_content: content }: JsonObject): readonly JsonObject[] {
  return typeof content === "string" ? (detailsIn(content) ?? []) : [];
}
