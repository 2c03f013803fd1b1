import { pause, type SimulatorCall } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import { tokensOfCharacters } from "../chat/tokens.ts";
import type { Commands } from "../commands.ts";
import { type EventWriter, openEvents } from "../sse.ts";
import { stallIfCommanded } from "../stall.ts";
import { contentEvents, finalEvent, type ResponseEvent } from "./events.ts";
import type { GeneratedResponse } from "./response.ts";

/** What it takes to send one response as a stream. */
interface StreamContext {
  readonly call: SimulatorCall;
  readonly recorded: RecordedCall;
  readonly commands: Commands;
  readonly generated: GeneratedResponse;
  /** The members of the response that do not change. */
  readonly head: object;
  /** Whether deltas are padded by an `obfuscation`. */
  readonly isObfuscated: boolean;
}

/** Sends a response as events, or breaks the stream as the commands specify. */
export async function sendResponseStream(context: StreamContext): Promise<void> {
  const { call, recorded, commands, generated, head } = context;
  const events = openEvents(call, commands);
  const numbered = createNumbering();
  for (const event of contentEvents(generated, head, commands.chunks)) {
    if (event.delta === undefined) await events.event(event.type, numbered(event));
    else if (await sendDelta(event, context, events, numbered)) return;
    call.disconnected.throwIfAborted();
  }
  const last = finalEvent(generated, head);
  if (await breakBefore(last, context, events, numbered)) return;
  await events.event(last.type, numbered(last));
  recorded.completionTokens = generated.completionTokens;
  recorded.outcome = commands.garbage ? "garbage" : "completed";
  if (generated.status === "failed") recorded.outcome = "error_event";
  events.end();
}

/** Sends a delta, or breaks the stream before it. Resolves with whether the stream is broken. */
async function sendDelta(
  event: ResponseEvent,
  context: StreamContext,
  events: EventWriter,
  numbered: (event: ResponseEvent) => string,
): Promise<boolean> {
  const { call, recorded, commands, isObfuscated } = context;
  if (commands.gap_ms) await pause(call, commands.gap_ms);
  if (await breakBefore(event, context, events, numbered)) return true;
  await events.event(event.type, numbered(isObfuscated ? obfuscated(event) : event));
  countDelta(recorded, event);
  if (commands.garbage && recorded.chunksSent === 1) await events.event(event.type, '{"type":"re');
  return false;
}

/** Returns a function that serializes an event with the next sequence number. */
function createNumbering(): (event: ResponseEvent) => string {
  let next = 0;
  return ({ type, ...members }) => {
    const event = { type, sequence_number: next, ...members };
    next += 1;
    return JSON.stringify(event);
  };
}

/**
 * Breaks the stream before a delta or the last event if a command says so. Resolves with whether it
 * has. With `end_after`, the stream never sends its last event, even when n exceeds its chunks.
 */
async function breakBefore(
  event: ResponseEvent,
  { call, recorded, commands, generated, head }: StreamContext,
  events: EventWriter,
  numbered: (event: ResponseEvent) => string,
): Promise<boolean> {
  const sent = recorded.chunksSent;
  const isLast = event.delta === undefined;
  if (commands.cut_after === sent) {
    recorded.outcome = "cut";
    events.cut();
    return true;
  }
  if (await stallIfCommanded(call, recorded, commands)) return true;
  if (commands.truncate_after === sent) {
    recorded.outcome = "ended_early";
    events.endWithin(event.type, numbered(event));
    return true;
  }
  if (commands.error_event === sent || commands.response_failed === sent) {
    const isError = commands.error_event === sent;
    const broken = isError ? errorEvent(commands) : finalEvent(generated, head);
    await events.event(broken.type, numbered(broken));
    recorded.outcome = "error_event";
    events.end();
    return true;
  }
  if (commands.end_after !== sent && !(isLast && commands.end_after !== undefined)) return false;
  recorded.outcome = "ended_early";
  events.end();
  return true;
}

/** https://developers.openai.com/api/reference/resources/responses/streaming-events */
function errorEvent({ message }: Commands): ResponseEvent {
  const said = message ?? "The simulator was commanded to fail.";
  return { type: "error", code: "server_error", message: said, param: null };
}

/** How many characters a delta has with its obfuscation, or a multiple of that. */
const PADDED_CHARACTERS = 16;

function obfuscated(event: ResponseEvent): ResponseEvent {
  const { length } = event.delta ?? "";
  return { ...event, obfuscation: "x".repeat(PADDED_CHARACTERS - (length % PADDED_CHARACTERS)) };
}

/** Counts a delta. What a summary says of the reasoning is not billed. */
function countDelta(recorded: RecordedCall, { type, delta = "" }: ResponseEvent): void {
  recorded.chunksSent += 1;
  if (type.startsWith("response.reasoning")) return;
  recorded.charactersSent += delta.length;
  recorded.completionTokens = tokensOfCharacters(recorded.charactersSent);
}
