import { cutConnection, pause, type SimulatorCall, write } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import type { Commands } from "../commands.ts";
import { piecesOf } from "../pieces.ts";
import { countSentText } from "../sent-text.ts";
import { stallIfCommanded } from "../stall.ts";
import { trickle } from "../trickle.ts";
import { eventFrame, exceptionFrame } from "./event-frames.ts";
import type { ConverseBlock, ConverseMessage } from "./generated.ts";

type StreamEvent = readonly [type: string, payload: object];

/**
 * Sends a message as an event stream, in the order of the reference, or breaks the stream as the commands
 * specify: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
export async function sendConverseStream(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  message: ConverseMessage,
): Promise<void> {
  call.response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
  for (const [type, payload] of eventsOf(message, commands)) {
    const frame = eventFrame(type, payload);
    if (type === "contentBlockDelta") {
      if (commands.gap_ms) await pause(call, commands.gap_ms);
      if (await breakStream(call, recorded, commands, frame)) return;
      recorded.chunksSent += 1;
    }
    if (commands.trickle_ms) await trickle(call, frame, commands.trickle_ms);
    else await write(call, frame);
    if (type === "contentBlockDelta") countSentText(recorded, textOf(payload));
  }
  recorded.completionTokens = message.completionTokens;
  recorded.outcome = "completed";
  call.response.end();
}

function textOf(payload: object): string {
  const { delta } = payload as { delta: { text?: string; toolUse?: { input: string } } };
  return (delta.text ?? "") + (delta.toolUse?.input ?? "");
}

/** Ends the stream before the next event if a command says so. Resolves with whether it has. */
async function breakStream(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  next: Buffer,
): Promise<boolean> {
  const { chunksSent: sent } = recorded;
  if (await stallIfCommanded(call, recorded, commands)) return true;
  if (commands.cut_after === sent) {
    recorded.outcome = "cut";
    cutConnection(call);
    return true;
  }
  const isGarbage = commands.garbage && sent === 0;
  const isError = commands.error_event === sent;
  const isTruncated = commands.truncate_after === sent;
  if (!isGarbage && !isError && !isTruncated && commands.end_after !== sent) return false;
  recorded.outcome = isError ? "error_event" : "ended_early";
  if (isError) {
    const { message } = commands;
    const [name, said] =
      message === undefined
        ? ["throttlingException", "Too many requests, please wait before trying again."]
        : ["validationException", message];
    await write(call, exceptionFrame(name, said));
  }
  if (isTruncated) await write(call, next.subarray(0, next.length - 5));
  // A checksum that is wrong.
  if (isGarbage) await write(call, Buffer.concat([next.subarray(0, -1), Buffer.from([0])]));
  call.response.end();
  return true;
}

function* eventsOf(
  { content, stopReason, usage }: ConverseMessage,
  { chunks }: Commands,
): Generator<StreamEvent> {
  yield ["messageStart", { role: "assistant" }];
  for (const [contentBlockIndex, block] of content.entries()) {
    if ("toolUse" in block) {
      const { toolUseId, name } = block.toolUse;
      yield ["contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId, name } } }];
    }
    for (const delta of deltasOf(block, chunks))
      yield ["contentBlockDelta", { contentBlockIndex, delta }];
    yield ["contentBlockStop", { contentBlockIndex }];
  }
  yield ["messageStop", { stopReason }];
  yield ["metadata", { usage, metrics: { latencyMs: 1 } }];
}

function deltasOf(block: ConverseBlock, count: number | undefined): object[] {
  if ("text" in block) return piecesOf(block.text, count).map((text) => ({ text }));
  if ("toolUse" in block) {
    const json = JSON.stringify(block.toolUse.input);
    return piecesOf(json).map((input) => ({ toolUse: { input } }));
  }
  const { text, signature } = block.reasoningContent.reasoningText;
  const thoughts = piecesOf(text).map((piece) => ({ reasoningContent: { text: piece } }));
  return [...thoughts, { reasoningContent: { signature } }];
}
