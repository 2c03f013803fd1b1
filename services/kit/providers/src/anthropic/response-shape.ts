import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { ResponseShape } from "../ai-sdk/response-shape.ts";
import {
  asAny,
  asCount,
  asText,
  byType,
  listWith,
  type MemberShapes,
  objectKept,
  objectWith,
  only,
  orElse,
  type Shape,
} from "../ai-sdk/shape.ts";
import { SkippedBlocks } from "../ai-sdk/skipped-blocks.ts";

const asObject: Shape = (value) => (isJsonObject(value) ? value : undefined);

/** The summaries of a conversation are billed, and no others. */
const iterations = listWith(
  objectKept(
    {
      type: only("compaction"),
      input_tokens: orElse(asCount, 0),
      output_tokens: orElse(asCount, 0),
    },
    ["type"],
  ),
);

/** Counts that are null are not there: they would replace those of the stream's first event. */
const counts: MemberShapes = {
  input_tokens: asCount,
  output_tokens: asCount,
  cache_creation_input_tokens: asCount,
  cache_read_input_tokens: asCount,
  cache_creation: asObject,
  output_tokens_details: objectWith({ thinking_tokens: asCount }),
  server_tool_use: asObject,
  service_tier: asText,
  iterations: (value) => {
    const read = iterations(value);
    return Array.isArray(read) && read.length > 0 ? read : undefined;
  },
};

/**
 * Returns the shape of a usage block that has all these counts, which the package requires. One that is
 * missing is a count that cannot be billed from.
 */
function usageWith(...required: readonly string[]): Shape {
  const none = Object.fromEntries(required.map((name) => [name, -1]));
  const read = objectKept(counts);
  return (value) => ({ ...none, ...(read(value) as JsonObject | undefined) });
}

const usage = usageWith("input_tokens", "output_tokens");
const head = { id: asText, model: asText };
const details = objectWith({ type: asText, category: asText, explanation: asText }, ["type"]);
const stop = { stop_reason: asText, stop_sequence: asText, stop_details: details };

const block = byType({
  text: objectWith({ text: asText }, ["text"]),
  thinking: objectWith({ thinking: asText, signature: orElse(asText, "") }, ["thinking"]),
  redacted_thinking: objectWith({ data: asText }, ["data"]),
  tool_use: objectWith({ id: asText, name: asText, input: orElse(asAny, {}) }, ["id", "name"]),
});

const begunBlock = byType({
  text: objectWith({ text: orElse(asText, "") }),
  thinking: objectWith({ thinking: orElse(asText, "") }),
  redacted_thinking: objectWith({ data: asText }, ["data"]),
  tool_use: objectWith({ id: asText, name: asText, input: asObject }, ["id", "name"]),
});

const delta = byType({
  text_delta: objectWith({ text: asText }, ["text"]),
  thinking_delta: objectWith({ thinking: asText }, ["thinking"]),
  signature_delta: objectWith({ signature: asText }, ["signature"]),
  input_json_delta: objectWith({ partial_json: asText }, ["partial_json"]),
});

const index = orElse(asCount, 0);

const event = byType({
  message_start: objectWith({
    message: orElse(objectWith({ ...head, usage: usageWith("input_tokens") }), {
      usage: { input_tokens: -1 },
    }),
  }),
  content_block_start: objectWith({ index, content_block: begunBlock }, ["content_block"]),
  content_block_delta: objectWith({ index, delta }, ["delta"]),
  content_block_stop: objectWith({ index }),
  message_delta: objectWith({
    delta: orElse(objectWith(stop), {}),
    usage: usageWith("output_tokens"),
  }),
  message_stop: () => ({}),
});

/**
 * Reads the events of one stream: those of blocks that are read, and a reason to stop that no later event
 * takes back.
 */
class StreamReading {
  readonly #skipped = new SkippedBlocks();
  #stop: JsonObject | undefined;

  read(value: unknown): unknown {
    const known = event(value);
    if (isJsonObject(value) && value.type === "content_block_start") {
      this.#skipped.begin(Number(value.index ?? 0), known !== undefined);
    }
    if (!isJsonObject(known)) return undefined;
    if (known.type === "message_delta") return this.#readEnd(known);
    return this.#skipped.has(Number(known.index)) ? undefined : known;
  }

  #readEnd(known: JsonObject): JsonObject {
    const given = isJsonObject(known.delta) ? known.delta : {};
    if (given.stop_reason !== undefined) this.#stop = given;
    return { ...known, delta: this.#stop ?? given };
  }
}

/** https://docs.claude.com/en/api/messages and https://docs.claude.com/en/docs/build-with-claude/streaming */
export const anthropicShape: ResponseShape = {
  answer: objectWith(
    { ...head, ...stop, type: only("message"), content: orElse(listWith(block), []), usage },
    ["type"],
  ),
  event,
  startEvents() {
    const reading = new StreamReading();
    return (value) => reading.read(value);
  },
  isFinish: ({ type, delta: read }) =>
    type === "message_delta" && isJsonObject(read) && read.stop_reason !== undefined,
  end: { type: "message_stop" },
};
