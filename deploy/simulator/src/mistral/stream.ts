import { pause, type SimulatorCall } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import type { Commands } from "../commands.ts";
import { mistralErrorBody } from "../error-response.ts";
import { type EventWriter, openEvents } from "../sse.ts";
import type { MistralMessage } from "./generated.ts";

/** Sends a message as a stream, or breaks the stream as the commands specify. */
export async function sendMistralStream(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  generated: MistralMessage,
  head: object,
): Promise<void> {
  const events = openEvents(call, commands);
  const { deltas, finishReason, usage } = generated;
  const first = { delta: { role: "assistant", content: "" }, finish_reason: null };
  // Calls come with the finish reason, and so does the usage.
  const last = deltas.at(-1);
  const isCall = last?.tool_calls !== undefined;
  const before = isCall ? deltas.slice(0, -1) : deltas;
  const finish = { delta: isCall ? last : { content: "" }, finish_reason: finishReason };
  const choices = [first, ...before.map((delta) => ({ delta, finish_reason: null })), finish];
  for (const choice of choices) {
    if (commands.gap_ms) await pause(call, commands.gap_ms);
    if (await breakStream(events, recorded, commands)) return;
    const isLast = choice === finish;
    if (isLast && commands.end_after !== undefined) break;
    const billed = isLast && !commands.no_usage ? { usage } : {};
    const chunk = { ...head, choices: [{ index: 0, ...choice }], ...billed };
    await events.data(JSON.stringify(chunk));
    recorded.chunksSent += 1;
  }
  await events.data("[DONE]");
  recorded.completionTokens = generated.completionTokens;
  recorded.outcome = "completed";
  events.end();
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
    const message = commands.message ?? "Service unavailable.";
    await events.data(JSON.stringify(mistralErrorBody({ status: 503, message })));
  }
  events.end();
  return true;
}
