import type { Reply } from "@tollgate/simulator/replies";

type Frames = NonNullable<Reply["frames"]>;
type Frame = Frames[number];

/** Returns a frame of a stream of Bedrock, for example of `contentBlockDelta`. */
export function converseEvent(type: string, payload: object): Frame {
  const headers = {
    ":event-type": type,
    ":content-type": "application/json",
    ":message-type": "event",
  };
  return [headers, { ...payload, p: "abcdefgh" }];
}

/** Returns a frame with an exception, for example `throttlingException`. */
export function converseException(type: string, message: string): Frame {
  const headers = {
    ":exception-type": type,
    ":content-type": "application/json",
    ":message-type": "exception",
  };
  return [headers, { message }];
}

/** Returns the frame that begins a stream. */
export function converseStart(): Frame {
  return converseEvent("messageStart", { role: "assistant" });
}

/** Returns the frames of a block: what starts it, if it is no text, and its deltas. */
export function converseBlock(
  contentBlockIndex: number,
  start: object | undefined,
  ...deltas: readonly object[]
): Frame[] {
  const place = { contentBlockIndex };
  return [
    ...(start === undefined ? [] : [converseEvent("contentBlockStart", { ...place, start })]),
    ...deltas.map((delta) => converseEvent("contentBlockDelta", { ...place, delta })),
    converseEvent("contentBlockStop", place),
  ];
}

/** Usage of 10 tokens of input and 5 of output: 600 micro-USD. */
export const converseUsage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };

/** Returns the frames that end a stream. */
export function converseEnd(stopReason: string, usage: object = converseUsage): Frame[] {
  return [
    converseEvent("messageStop", { stopReason }),
    converseEvent("metadata", { usage, metrics: { latencyMs: 1 } }),
  ];
}

/** Returns a response of Bedrock's Converse API. */
export function converseResponse(
  content: readonly object[],
  stopReason: string = "end_turn",
  usage: object = converseUsage,
): object {
  const output = { message: { role: "assistant", content } };
  return { output, stopReason, usage, metrics: { latencyMs: 1 } };
}
