import type { JsonObject } from "@tollgate/core/json";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { CallOrder, type Piece } from "../call-order.ts";
import { toolCallText } from "../chat/content.ts";
import { eventBytes, type NamedEvent } from "../named-event.ts";
import type { ResponseContext } from "../response-context.ts";
import {
  callItem,
  callKind,
  contentPart,
  type ItemKind,
  itemId,
  messageItem,
  reasoningItem,
} from "./items.ts";
import { type ResponseEnd, responseObject } from "./response-object.ts";
import { customInput, type NamedTool, namedTools } from "./tools.ts";
import { responseUsage } from "./usage.ts";

/** The item that is being written. */
type OpenItem =
  | { kind: "reasoning"; id: string; text: string }
  | { kind: "message"; id: string; part: "output_text" | "refusal"; text: string }
  | { kind: "call"; id: string; index: unknown; callId: unknown; tool: NamedTool; text: string };

/** Writes the events of a response's items one after another: each ends before the next starts. */
export class ItemWriter {
  readonly #context: ResponseContext;
  readonly #tools: ReadonlyMap<string, NamedTool>;
  readonly #output: JsonObject[] = [];
  readonly #order = new CallOrder();
  #events: Buffer[] = [];
  #sequence = 0;
  #open: OpenItem | undefined;
  /** The details of reasoning that no item has yet. */
  #details: JsonObject[] = [];

  constructor(context: ResponseContext) {
    this.#context = context;
    this.#tools = namedTools(context.client.json);
  }

  /** Writes a part of the model's reasoning, and details that sign it or what follows. */
  think(text: string, details: readonly JsonObject[]): void {
    if (text === "" && details.length === 0) return;
    if (this.#order.isOpen) this.#add({ kind: "thought", text, details });
    else this.#think(text, details);
  }

  /** Writes a part of the text, or of a refusal. */
  say(part: "output_text" | "refusal", text: string): void {
    if (text === "") return;
    if (this.#order.isOpen) this.#add({ kind: part, text });
    else this.#say(part, text);
  }

  /** Writes a part of a tool call. */
  call(part: JsonObject): void {
    this.#add({ kind: "call", part });
  }

  /** Returns the events that were written since the last call; undefined for none. */
  take(): Uint8Array | undefined {
    if (this.#events.length === 0) return undefined;
    const bytes = Buffer.concat(this.#events);
    this.#events = [];
    return bytes;
  }

  /** Returns the events that end the response. */
  end(end: ResponseEnd, usage: ChatUsage): Uint8Array {
    for (const piece of this.#order.end()) this.#piece(piece);
    this.#begin();
    // What signs a text that nothing follows is not required, and clients take the last item as the text.
    if (this.#open?.kind === "message") this.#details = [];
    this.#close(end.status);
    const ended = { ...end, output: this.#output, usage: responseUsage(usage) };
    const response = responseObject(this.#context, ended);
    this.#write({ type: `response.${end.status}`, response });
    return Buffer.concat(this.#events);
  }

  /** The index of the open item. */
  get #index(): number {
    return this.#output.length;
  }

  #add(piece: Piece): void {
    for (const next of this.#order.add(piece)) this.#piece(next);
  }

  #piece(piece: Piece): void {
    if (piece.kind === "call") this.#call(piece.part);
    else if (piece.kind === "thought") this.#think(piece.text, piece.details);
    else this.#say(piece.kind, piece.text);
  }

  #think(text: string, details: readonly JsonObject[]): void {
    this.#details.push(...details);
    if (text === "") return;
    const item = this.#open?.kind === "reasoning" ? this.#open : this.#startReasoning();
    item.text += text;
    const place = { item_id: item.id, output_index: this.#index, summary_index: 0 };
    this.#write({ type: "response.reasoning_summary_text.delta", ...place, delta: text });
  }

  #say(part: "output_text" | "refusal", text: string): void {
    const isOpen = this.#open?.kind === "message" && this.#open.part === part;
    const item = isOpen && this.#open?.kind === "message" ? this.#open : this.#startMessage(part);
    item.text += text;
    const place = { item_id: item.id, output_index: this.#index, content_index: 0 };
    const logprobs = part === "output_text" ? { logprobs: [] } : {};
    this.#write({ type: `response.${part}.delta`, ...place, delta: text, ...logprobs });
  }

  #call(part: JsonObject): void {
    const { index = 0 } = part;
    const { name, text } = toolCallText(part);
    const open = this.#open;
    const isLater = open?.kind === "call" && open.index === index && name === "";
    const item = isLater ? open : this.#startCall(part, index);
    item.text += text;
    // Free text is inside of the function's JSON, which is known at its end only.
    if (text === "" || item.tool.input !== "json") return;
    const place = { item_id: item.id, output_index: this.#index };
    this.#write({ type: "response.function_call_arguments.delta", ...place, delta: text });
  }

  #write(event: NamedEvent): void {
    const { type, ...members } = event;
    this.#events.push(eventBytes({ type, sequence_number: this.#sequence, ...members }));
    this.#sequence += 1;
  }

  #begin(): void {
    if (this.#sequence > 0) return;
    const response = responseObject(this.#context, {});
    this.#write({ type: "response.created", response });
    this.#write({ type: "response.in_progress", response });
  }

  #startReasoning() {
    this.#begin();
    const details = this.#details;
    this.#details = [];
    this.#close("completed");
    this.#details = details;
    const item = { kind: "reasoning" as const, id: this.#id("rs"), text: "" };
    this.#open = item;
    this.#added(reasoningItem(item.id, "", []));
    const place = { item_id: item.id, output_index: this.#index, summary_index: 0 };
    const part = { type: "summary_text", text: "" };
    this.#write({ type: "response.reasoning_summary_part.added", ...place, part });
    return item;
  }

  #startMessage(part: "output_text" | "refusal") {
    this.#begin();
    this.#close("completed");
    const item = { kind: "message" as const, id: this.#id("msg"), part, text: "" };
    this.#open = item;
    this.#added(messageItem(item.id, [], "in_progress"));
    const place = { item_id: item.id, output_index: this.#index, content_index: 0 };
    this.#write({ type: "response.content_part.added", ...place, part: contentPart(part, "") });
    return item;
  }

  #startCall(part: JsonObject, index: unknown) {
    this.#begin();
    this.#close("completed");
    const { name } = toolCallText(part);
    const tool = this.#tools.get(name) ?? { name, input: "json" as const };
    const id = this.#id(callKind(tool));
    const item = { kind: "call" as const, id, index, callId: part.id, tool, text: "" };
    this.#open = item;
    this.#added(callItem(item, "in_progress"));
    return item;
  }

  #id(kind: ItemKind): string {
    return itemId(kind, this.#context.id, this.#index);
  }

  #added(item: JsonObject): void {
    this.#write({ type: "response.output_item.added", output_index: this.#index, item });
  }

  #done(item: JsonObject): void {
    this.#open = undefined;
    this.#write({ type: "response.output_item.done", output_index: this.#index, item });
    this.#output.push(item);
  }

  /** Ends the open item, and writes the details that wait for a place. */
  #close(status: "completed" | "incomplete"): void {
    const open = this.#open;
    if (open?.kind === "reasoning") this.#closeReasoning(open);
    if (open?.kind === "message") this.#closeMessage(open, status);
    if (open?.kind === "call") this.#closeCall(open, status);
    if (this.#details.length === 0) return;
    const item = reasoningItem(this.#id("rs"), "", this.#details);
    this.#details = [];
    this.#added({ id: item.id, type: item.type, summary: [] });
    this.#done(item);
  }

  #closeReasoning({ id, text }: { id: string; text: string }): void {
    const place = { item_id: id, output_index: this.#index, summary_index: 0 };
    this.#write({ type: "response.reasoning_summary_text.done", ...place, text });
    const part = { type: "summary_text", text };
    this.#write({ type: "response.reasoning_summary_part.done", ...place, part });
    const item = reasoningItem(id, text, this.#details);
    this.#details = [];
    this.#done(item);
  }

  #closeMessage(
    { id, part: type, text }: Extract<OpenItem, { kind: "message" }>,
    status: "completed" | "incomplete",
  ): void {
    const place = { item_id: id, output_index: this.#index, content_index: 0 };
    const said = type === "refusal" ? { refusal: text } : { text, logprobs: [] };
    this.#write({ type: `response.${type}.done`, ...place, ...said });
    const part = contentPart(type, text);
    this.#write({ type: "response.content_part.done", ...place, part });
    this.#done(messageItem(id, [part], status));
  }

  #closeCall(call: Extract<OpenItem, { kind: "call" }>, status: "completed" | "incomplete"): void {
    const place = { item_id: call.id, output_index: this.#index };
    if (call.tool.input === "text") {
      const input = customInput(call.text);
      this.#write({ type: "response.custom_tool_call_input.delta", ...place, delta: input });
      this.#write({ type: "response.custom_tool_call_input.done", ...place, input });
    } else if (call.tool.input === "json") {
      const { name } = call.tool;
      const said = { name, arguments: call.text };
      this.#write({ type: "response.function_call_arguments.done", ...place, ...said });
    }
    this.#done(callItem(call, status));
  }
}
