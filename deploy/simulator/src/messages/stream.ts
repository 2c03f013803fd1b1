import { pause, type SimulatorCall } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import type { Commands } from "../commands.ts";
import { messagesErrorBody } from "../error-response.ts";
import { piecesOf } from "../pieces.ts";
import { countSentText } from "../sent-text.ts";
import { type EventWriter, openEvents } from "../sse.ts";
import { stallIfCommanded } from "../stall.ts";
import type { GeneratedBlock, GeneratedMessage } from "./message.ts";

type MessageEvent = { type: string } & Record<string, unknown>;

/**
 * Sends a message as events, in the order of Anthropic's reference, or breaks the stream as the
 * commands specify: https://docs.claude.com/en/docs/build-with-claude/streaming
 */
export async function sendMessageStream(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  message: GeneratedMessage,
  head: object,
): Promise<void> {
  const events = openEvents(call, commands);
  const write = (event: MessageEvent) => events.event(event.type, JSON.stringify(event));
  for (const event of eventsOf(message, head, commands)) {
    if (event.type === "content_block_delta") {
      if (commands.gap_ms) await pause(call, commands.gap_ms);
      if (await stallIfCommanded(call, recorded, commands)) return;
      if (await breakStream(events, recorded, commands)) return;
      recorded.chunksSent += 1;
    }
    await write(event);
    if (event.type === "content_block_delta") countSentText(recorded, textOf(event.delta));
    call.disconnected.throwIfAborted();
  }
  recorded.completionTokens = message.completionTokens;
  recorded.outcome = "completed";
  events.end();
}

function textOf(delta: unknown): string {
  const { text = "", thinking = "", partial_json = "" } = delta as Record<string, string>;
  return text + thinking + partial_json;
}

/** Ends the stream here if a command says so. Resolves with whether it has. */
async function breakStream(
  events: EventWriter,
  recorded: RecordedCall,
  commands: Commands,
): Promise<boolean> {
  if (commands.cut_after === recorded.chunksSent) {
    recorded.outcome = "cut";
    events.cut();
    return true;
  }
  const isError = commands.error_event === recorded.chunksSent;
  if (!isError && commands.end_after !== recorded.chunksSent) return false;
  recorded.outcome = isError ? "error_event" : "ended_early";
  if (isError) {
    const error = { status: 529, message: commands.message ?? "Overloaded" };
    await events.event("error", JSON.stringify(messagesErrorBody(error)));
  }
  events.end();
  return true;
}

function* eventsOf(
  message: GeneratedMessage,
  head: object,
  { chunks }: Commands,
): Generator<MessageEvent> {
  const { content, stopReason, stopDetails, usage } = message;
  const started = { ...head, content: [], stop_reason: null, stop_sequence: null };
  yield { type: "message_start", message: { ...started, usage: { ...usage, output_tokens: 1 } } };
  for (const [index, block] of content.entries()) {
    yield { type: "content_block_start", index, content_block: emptied(block) };
    if (index === 0) yield { type: "ping" };
    for (const delta of deltasOf(block, chunks))
      yield { type: "content_block_delta", index, delta };
    yield { type: "content_block_stop", index };
  }
  const delta = { stop_reason: stopReason, stop_sequence: null, stop_details: stopDetails };
  yield { type: "message_delta", delta, usage };
  yield { type: "message_stop" };
}

function emptied(block: GeneratedBlock): object {
  if (block.type === "text") return { type: "text", text: "" };
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return { ...block, input: {} };
}

function deltasOf(block: GeneratedBlock, count: number | undefined): object[] {
  if (block.type === "text") {
    return piecesOf(block.text, count).map((text) => ({ type: "text_delta", text }));
  }
  if (block.type === "thinking") {
    const { signature } = block;
    const texts = piecesOf(block.thinking).map((thinking) => ({
      type: "thinking_delta",
      thinking,
    }));
    return [...texts, { type: "signature_delta", signature }];
  }
  const json = JSON.stringify(block.input);
  if (json === "{}") return [{ type: "input_json_delta", partial_json: "" }];
  return ["", ...piecesOf(json)].map((partial_json) => ({
    type: "input_json_delta",
    partial_json,
  }));
}
