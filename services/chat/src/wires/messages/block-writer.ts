import type { JsonObject } from "@tollgate/core/json";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { approximateTokens } from "../../usage/usage.ts";
import { CallOrder, type Piece } from "../call-order.ts";
import { toolCallText } from "../chat/content.ts";
import { eventBytes, type NamedEvent } from "../named-event.ts";
import type { ResponseContext } from "../response-context.ts";
import { signatureOf } from "../signed-details.ts";
import { messageHead } from "./response.ts";
import { isOwnText } from "./thinking.ts";
import { messageUsage } from "./usage.ts";

interface OpenBlock {
  type: "text" | "thinking" | "redacted_thinking" | "tool_use";
  /** Of a tool's: its index among the calls. */
  call?: unknown;
}

/** Writes the events of a message's blocks one after another: each ends before the next starts. */
export class BlockWriter {
  readonly #context: ResponseContext;
  #events: Buffer[] = [];
  #isStarted = false;
  #index = -1;
  #open: OpenBlock | undefined;
  /** The details of thinking that no block has yet. */
  #details: JsonObject[] = [];
  readonly #order = new CallOrder();

  constructor(context: ResponseContext) {
    this.#context = context;
  }

  /** Whether a tool is called. */
  get hasCalls(): boolean {
    return this.#order.hasCalls;
  }

  /** Writes a part of the model's thinking, and details that sign it or what follows. */
  think(text: string, details: readonly JsonObject[]): void {
    if (text === "" && details.length === 0) return;
    if (this.#order.isOpen) this.#add({ kind: "thought", text, details });
    else this.#think(text, details);
  }

  /** Writes a part of the text. */
  say(text: string): void {
    if (text === "") return;
    if (this.#order.isOpen) this.#add({ kind: "output_text", text });
    else this.#say(text);
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

  /** Returns the events that end the message. */
  end(stopReason: string, usage: ChatUsage): Uint8Array {
    for (const piece of this.#order.end()) this.#piece(piece);
    this.#begin();
    // What signs a text that nothing follows is not required, and clients take the last block as the text.
    if (this.#open?.type === "text") this.#details = [];
    this.#close();
    const reason = { stop_reason: stopReason, stop_sequence: null };
    this.#write({ type: "message_delta", delta: reason, usage: messageUsage(usage) });
    this.#write({ type: "message_stop" });
    return Buffer.concat(this.#events);
  }

  #add(piece: Piece): void {
    for (const next of this.#order.add(piece)) this.#piece(next);
  }

  #piece(piece: Piece): void {
    if (piece.kind === "call") this.#call(piece.part);
    else if (piece.kind === "thought") this.#think(piece.text, piece.details);
    else this.#say(piece.text);
  }

  #think(text: string, details: readonly JsonObject[]): void {
    if (text !== "") {
      if (this.#open?.type !== "thinking") {
        this.#start({ type: "thinking", thinking: "", signature: "" }, { type: "thinking" });
      }
      this.#delta({ type: "thinking_delta", thinking: text });
    }
    for (const detail of details) {
      if (isOwnText(detail) && this.#open?.type === "thinking") {
        this.#delta({ type: "signature_delta", signature: detail.signature });
        this.#stop();
      } else this.#details.push(detail);
    }
  }

  #say(text: string): void {
    if (this.#open?.type !== "text") this.#start({ type: "text", text: "" }, { type: "text" });
    this.#delta({ type: "text_delta", text });
  }

  #call(part: JsonObject): void {
    const { id, index: call = 0 } = part;
    const { name, text } = toolCallText(part);
    if (this.#open?.call !== call) {
      this.#start({ type: "tool_use", id, name, input: {} }, { type: "tool_use", call });
    }
    if (text !== "") this.#delta({ type: "input_json_delta", partial_json: text });
  }

  #write(event: NamedEvent): void {
    this.#events.push(eventBytes(event));
  }

  #begin(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const usage = {
      input_tokens: Number(approximateTokens(this.#context.promptCharacters)),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 1,
    };
    const rest = { content: [], stop_reason: null, stop_sequence: null, usage };
    this.#write({ type: "message_start", message: { ...messageHead(this.#context), ...rest } });
  }

  #start(block: JsonObject, opened: OpenBlock): void {
    this.#begin();
    this.#close();
    this.#index += 1;
    this.#open = opened;
    const index = this.#index;
    this.#write({ type: "content_block_start", index, content_block: block });
    if (index === 0) this.#write({ type: "ping" });
  }

  #delta(delta: JsonObject): void {
    this.#write({ type: "content_block_delta", index: this.#index, delta });
  }

  #stop(): void {
    this.#open = undefined;
    this.#write({ type: "content_block_stop", index: this.#index });
  }

  /** Ends the open block, and writes the details that wait for a place. */
  #close(): void {
    const details = this.#details;
    this.#details = [];
    const isThinking = this.#open?.type === "thinking";
    if (isThinking) this.#delta({ type: "signature_delta", signature: signatureOf(details) });
    if (this.#open !== undefined) this.#stop();
    if (isThinking || details.length === 0) return;
    const data = signatureOf(details);
    this.#start({ type: "redacted_thinking", data }, { type: "redacted_thinking" });
    this.#stop();
  }
}
