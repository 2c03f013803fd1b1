import { typedEventStream } from "../../openapi/event-stream.ts";

const delta = "You said: Hello";
const id = "msg_01a228684c0b70009f47243aa701d1620000";
const part = { type: "output_text", annotations: [], logprobs: [], text: delta };
const item = { id, type: "message", status: "completed", role: "assistant", content: [part] };

export const responseExample = {
  id: "resp_01a228684c0b70009f47243aa701d162",
  object: "response",
  created_at: 1_795_974_253,
  status: "completed",
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  model: "demo-small",
  output: [item],
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: "default",
  store: false,
  temperature: 1,
  text: { format: { type: "text" }, verbosity: "medium" },
  tool_choice: "auto",
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
  usage: {
    input_tokens: 2,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 4,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 6,
  },
  user: null,
  metadata: {},
};

const begun = { ...responseExample, status: "in_progress", output: [], usage: null };
const ofItem = { output_index: 0 };
const ofPart = { item_id: id, output_index: 0, content_index: 0 };
const newItem = { ...item, status: "in_progress", content: [] };

const events = [
  { type: "response.created", response: begun },
  { type: "response.in_progress", response: begun },
  { type: "response.output_item.added", ...ofItem, item: newItem },
  { type: "response.content_part.added", ...ofPart, part: { ...part, text: "" } },
  { type: "response.output_text.delta", ...ofPart, delta, logprobs: [] },
  { type: "response.output_text.done", ...ofPart, text: delta, logprobs: [] },
  { type: "response.content_part.done", ...ofPart, part },
  { type: "response.output_item.done", ...ofItem, item },
  { type: "response.completed", response: responseExample },
];

export const responseEventsExample = typedEventStream(
  events.map(({ type, ...data }, index) => ({ type, sequence_number: index, ...data })),
);
