import { typedEventStream } from "../../openapi/event-stream.ts";

const usage = {
  input_tokens: 2,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 4,
};
const text = "You said: Hello";

export const messageExample = {
  id: "msg_01a2286849367000a10755691d417af2",
  type: "message",
  role: "assistant",
  model: "demo-small",
  content: [{ type: "text", text }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage,
};

const begun = {
  ...{ ...messageExample, content: [], stop_reason: null },
  usage: { ...usage, output_tokens: 1 },
};

export const messageEventsExample = typedEventStream([
  { type: "message_start", message: begun },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "ping" },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
  { type: "message_stop" },
]);
