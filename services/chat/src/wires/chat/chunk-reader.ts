import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { openaiFinishReason } from "@tollgate/providers/openai/finish-reason";
import { usageBlockIn } from "@tollgate/providers/openai/usage";
import {
  refuseReportedError,
  reportedErrorFailure,
  reportsError,
} from "@tollgate/upstream/reported-error";
import { type Chunk, parseData } from "../chunk.ts";
import type { ResponseContext } from "../response-context.ts";
import { CallPartsReader, ownCallId, type ToolCallContext } from "./call-parts.ts";
import { completionOfProvider, isEmptyCompletion, notCompletion } from "./completion.ts";
import { withTextContent } from "./content.ts";

type Context = Pick<ResponseContext, "id" | "kind" | "client" | "readUsageBlock">;

/**
 * Reads the events of one stream of a provider with OpenAI's wire. What such providers write their own
 * way is written as OpenAI does: see `CallPartsReader`, and `#choice`.
 */
export class ChunkReader {
  readonly #context: Context;
  /** The tool calls of each choice, by its index. */
  readonly #calls: (CallPartsReader | undefined)[] = [];
  readonly #finished: boolean[] = [];
  #hasChoices = false;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Reads an event. Returns undefined for one that says nothing of the completion, such as a heartbeat.
   * Throws a SlotFailure for one that reports an error, and for one that is cut.
   */
  read(data: string, name: string | undefined): Chunk | undefined {
    const value = eventValue(data);
    const isNamed = name === "error";
    if (!isJsonObject(value)) {
      if (isNamed) throw reportedErrorFailure({ error: value ?? data }, this.#context.kind);
      return undefined;
    }
    refuseReportedError(value, this.#context.kind);
    if (isNamed) throw reportedErrorFailure(value, this.#context.kind);
    const listed = Array.isArray(value.choices) ? (value.choices as readonly unknown[]) : [];
    const usage = this.#context.readUsageBlock(usageBlockIn(value));
    const choices = this.#choices(listed);
    if (choices.length === 0 && usage === undefined) return undefined;
    // OpenAI's packages take an error that is empty for one, too.
    if (choices === listed && !value.error) return chunkOf(data, value, { usage, choices });
    const { error: _, ...rest } = value;
    return chunkOf("", { ...rest, choices }, { usage, choices });
  }

  /**
   * Reads a whole completion as two chunks: what was generated, and its end. One without output has no
   * choices. Throws what `completionOfProvider` throws.
   */
  readWhole(written: unknown): readonly Chunk[] {
    const value = valueIn(written);
    if (!isJsonObject(value)) throw notCompletion();
    const { kind, readUsageBlock } = this.#context;
    refuseReportedError(value, kind);
    const usage = readUsageBlock(usageBlockIn(value));
    if (isEmptyCompletion(value)) return [chunkOf("", value, { usage, choices: [] })];
    const completion = completionOfProvider(value, this.#context);
    const begun = completion.choices.map(({ message, ...choice }) => {
      return { ...choice, delta: deltaOf(message), finish_reason: null };
    });
    const ended = completion.choices.map(({ index, finish_reason }) => {
      return { index, delta: {}, finish_reason };
    });
    return [
      chunkOf("", { ...completion, choices: begun }, { usage: undefined, choices: begun }),
      chunkOf("", { ...completion, choices: ended }, { usage, choices: ended }),
    ];
  }

  /** Returns a chunk that ends choices which a complete stream has left open. */
  complete(indexes: readonly number[]): Chunk {
    const choices = indexes.map((index) => {
      const finish_reason = this.#calls[index] === undefined ? "stop" : "tool_calls";
      return this.#choice({ index, delta: {}, finish_reason }, index);
    });
    return chunkOf("", { choices }, { usage: undefined, choices });
  }

  /** Returns the same list where all its choices are as OpenAI writes them. */
  #choices(listed: readonly unknown[]): readonly JsonObject[] {
    let changed: JsonObject[] | undefined;
    for (const [at, one] of listed.entries()) {
      const choice = isJsonObject(one) ? this.#choice(one, at) : undefined;
      if (choice !== one) changed ??= objectsIn(listed.slice(0, at)).slice();
      if (choice !== undefined) changed?.push(choice);
    }
    this.#hasChoices ||= listed.length > 0;
    return changed ?? (listed as readonly JsonObject[]);
  }

  /**
   * Returns a choice with an index, a delta that is an object, and a finish reason that is one or null, and
   * is one once.
   */
  #choice(choice: JsonObject, at: number): JsonObject {
    const { index = at, finish_reason: written } = choice;
    const reason = openaiFinishReason(written);
    if (reason === "error" || reportsError(choice)) {
      throw reportedErrorFailure({ error: choice.error || {} }, this.#context.kind);
    }
    const place = typeof index === "number" ? index : at;
    const finish = this.#finished[place] === true ? null : (reason ?? null);
    if (reason !== undefined) this.#finished[place] = true;
    const delta = this.#delta(choice, place, reason !== undefined);
    const isRegular = choice.index === place && delta === choice.delta;
    if (isRegular && finish === (written ?? null) && choice.usage === undefined) return choice;
    const { usage: _, ...rest } = choice;
    return { ...rest, index: place, delta, finish_reason: finish };
  }

  /** Some providers send the whole message in the only chunk. */
  #delta({ delta: own, message }: JsonObject, index: number, isLast: boolean): JsonObject {
    const written = own === undefined && !this.#hasChoices ? message : own;
    if (!isJsonObject(written)) return this.#withCalls({}, [], index, isLast);
    const delta = withTextContent(written);
    const { tool_calls: parts } = delta;
    if (parts === undefined || parts === null) return this.#withCalls(delta, [], index, isLast);
    return this.#withCalls(delta, Array.isArray(parts) ? parts : [parts], index, isLast);
  }

  #withCalls(
    delta: JsonObject,
    parts: readonly unknown[],
    index: number,
    isLast: boolean,
  ): JsonObject {
    if (parts.length === 0 && (!isLast || this.#calls[index] === undefined)) return delta;
    this.#calls[index] ??= new CallPartsReader(this.#toolCallContext(index));
    const calls = this.#calls[index];
    const read = calls.read(parts);
    const rest = isLast ? calls.end() : [];
    if (rest.length > 0) return { ...delta, tool_calls: [...read, ...rest] };
    return read === delta.tool_calls || parts.length === 0 ? delta : { ...delta, tool_calls: read };
  }

  #toolCallContext(choice: number): ToolCallContext {
    const { id, client } = this.#context;
    return {
      idOf: (index) => ownCallId(id, choice, index),
      isKnown: (name) => client.mayHave(JSON.stringify(name)),
      isStart: (name) => client.mayHaveLonger(name),
    };
  }
}

/** Returns the value in an event's data. */
function eventValue(data: string): unknown {
  return valueIn(parseData(data));
}

/** Gemini reports an error as the only item of a list. */
function valueIn(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? (value as readonly unknown[])[0] : value;
}

/** Returns a message as a delta: its calls have indexes. */
function deltaOf(message: unknown): JsonObject {
  if (!isJsonObject(message)) return {};
  const calls = objectsIn(message.tool_calls);
  if (calls.length === 0) return message;
  return { ...message, tool_calls: calls.map((call, index) => ({ ...call, index })) };
}

function chunkOf(
  data: string,
  value: JsonObject,
  { usage, choices }: Pick<Chunk, "usage" | "choices">,
): Chunk {
  return { data, value, usage, choices, toolCalls: undefined, isLast: false };
}
