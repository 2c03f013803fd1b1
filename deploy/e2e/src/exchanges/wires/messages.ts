import type Anthropic from "@anthropic-ai/sdk";
import type { JsonObject } from "@tollgate/core/json";
import { expect } from "vitest";
import { emptyResult, type ReadResult, type ReadUsage, readCall, readEvents } from "./result.ts";

type Failed = { error: { code: string } };
type MessageEvent = Anthropic.MessageStreamEvent | ({ type: "error" } & Failed) | { type: "ping" };

/** The finish reasons of OpenAI's wire for the stop reasons. */
const finishes: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};

/** Reads a message, or an error. */
export function readMessage(text: string): ReadResult {
  const message = JSON.parse(text) as Anthropic.Message | ({ type: "error" } & Failed);
  if (message.type === "error") return { ...emptyResult(), error: message.error.code };
  expect(message).toMatchObject({ type: "message", role: "assistant" });
  const result = emptyResult();
  for (const block of message.content) addBlock(result, block, textOfInput(block));
  return { ...result, finish: finishOf(message.stop_reason), usage: usageOf(message.usage) };
}

/**
 * Reads a stream of a message. Checks its form: it begins with `message_start`, blocks have the indexes
 * from 0 and one after another start and stop, and it ends with `message_stop`, or an error.
 */
export function readMessageStream(text: string): ReadResult {
  const events = readEvents(text) as unknown as MessageEvent[];
  const result = emptyResult();
  const usage: JsonObject = {};
  const blocks = new BlockReader(result);
  for (const event of events) {
    switch (event.type) {
      case "message_start":
        expect(event).toBe(events[0]);
        Object.assign(usage, event.message.usage);
        break;
      case "message_delta":
        expect([blocks.isOpen, result.finish]).toEqual([false, undefined]);
        result.finish = finishOf(event.delta.stop_reason);
        Object.assign(usage, withoutNulls(event.usage));
        result.usage = usageOf(usage as unknown as Anthropic.Usage);
        break;
      case "error":
        expect(event).toBe(events.at(-1));
        result.error = event.error.code;
        break;
      default:
        blocks.read(event);
    }
  }
  if (result.error === undefined) expect(events.at(-1)?.type).toBe("message_stop");
  return result;
}

/** Reads the events of blocks. Others are pings, and what a provider of Anthropic's API adds. */
class BlockReader {
  readonly #result: ReadResult;
  #open: { block: Anthropic.ContentBlock; text: string } | undefined;
  #index = 0;

  constructor(result: ReadResult) {
    this.#result = result;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  read(event: MessageEvent): void {
    if (event.type === "content_block_start") {
      expect([event.index, this.isOpen]).toEqual([this.#index, false]);
      this.#open = { block: event.content_block, text: "" };
    }
    if (event.type === "content_block_delta") {
      this.#openAt(event.index).text += textOfDelta(event.delta);
    }
    if (event.type === "content_block_stop") {
      const { block, text } = this.#openAt(event.index);
      addBlock(this.#result, block, text);
      this.#open = undefined;
      this.#index += 1;
    }
  }

  #openAt(index: number) {
    expect(index).toBe(this.#index);
    if (this.#open === undefined) throw new Error(`no block is open at ${index}`);
    return this.#open;
  }
}

function withoutNulls(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

function textOfInput(block: Anthropic.ContentBlock): string {
  if (block.type !== "tool_use") return "";
  const input = block.input as JsonObject;
  return typeof input.INVALID_JSON === "string" ? input.INVALID_JSON : JSON.stringify(input);
}

function textOfDelta(delta: Anthropic.RawContentBlockDelta): string {
  if (delta.type === "text_delta") return delta.text;
  if (delta.type === "thinking_delta") return delta.thinking;
  return delta.type === "input_json_delta" ? delta.partial_json : "";
}

/** Adds a block: what it began with, and the text that followed. */
function addBlock(result: ReadResult, block: Anthropic.ContentBlock, text: string): void {
  if (block.type === "text") result.text += block.text + text;
  if (block.type === "thinking") result.reasoning += block.thinking + text;
  if (block.type !== "tool_use") return;
  expect(block.id).toMatch(/./);
  result.calls.push(readCall(block.name, text));
}

function finishOf(reason: string | null): string {
  return finishes[reason ?? ""] ?? `${reason}`;
}

function usageOf(usage: Anthropic.Usage): ReadUsage {
  const { input_tokens: input, output_tokens: output } = usage;
  const cached = usage.cache_read_input_tokens ?? 0;
  const prompt = input + cached + (usage.cache_creation_input_tokens ?? 0);
  return { prompt, cached, output };
}
