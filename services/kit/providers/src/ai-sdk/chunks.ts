import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { JsonObject } from "@tollgate/core/json";
import { eventFailure } from "./failure.ts";
import { finishReasonOf, isUnfinished, refusalTextOf } from "./finish-reason.ts";
import type { LanguageModelKind } from "./kind.ts";
import type { ProviderFetch } from "./provider-fetch.ts";
import {
  type GeneratedPart,
  metadataOf,
  reasoningDetail,
  type SignatureForm,
} from "./reasoning.ts";

/**
 * Yields the chunks of a chat completion, one for each part with a delta. The last chunk has the
 * provider's own usage block, and so have others where its events report usage before the end. A stream
 * that the provider does not finish has neither a finish reason nor usage. Calls `sent.letEnd` once the
 * provider has finished. Throws a SlotFailure for an error event, and where the model failed.
 */
export async function* writeChunks(
  kind: LanguageModelKind,
  parts: AsyncIterable<LanguageModelV4StreamPart>,
  model: string,
  sent: ProviderFetch,
): AsyncGenerator<JsonObject> {
  const head = { id: "", object: "chat.completion.chunk", created: secondsNow(), model };
  const { read, calls } = createReading(kind);
  let finish: Finish | undefined;
  for await (const part of parts) {
    if (part.type === "error") {
      throw eventFailure(kind, part.error, kind.statusOfEvent(part.error));
    }
    if (part.type === "response-metadata") head.id = part.id ?? "";
    if (part.type === "finish") {
      finish = finishedBy(part, sent);
      break;
    }
    const said = read(part);
    if (said !== undefined) yield { ...head, ...said };
  }
  const failure = sent.failure();
  if (failure !== undefined) throw failure;
  if (finish !== undefined) yield* finishChunks(kind, head, finish, calls);
}

/**
 * Returns a function that reads what a part says for a chunk, undefined where it says nothing, and the
 * calls that it has read, by their ids. The first usage that an event reports has a chunk of its own, as
 * what was generated follows it. All that an event generates has the event's usage.
 */
function createReading(kind: LanguageModelKind) {
  const { translate, calls } = createTranslation(kind.signatures);
  let usage: JsonObject | undefined;
  let isReported = false;

  function report(event: unknown): JsonObject | undefined {
    usage = kind.usageOfEvent?.(event);
    if (usage === undefined || isReported) return undefined;
    isReported = true;
    return { choices: [], usage };
  }

  function read(part: LanguageModelV4StreamPart): JsonObject | undefined {
    if (part.type === "raw") return report(part.rawValue);
    const delta = translate(part);
    if (delta === undefined) return undefined;
    const choices = [choiceOf(delta, null)];
    return usage === undefined ? { choices } : { choices, usage };
  }

  return { read, calls };
}

/** A call that has begun. */
interface ReadCall {
  index: number;
  hasArguments: boolean;
}

function isWithoutArguments({ hasArguments }: ReadCall): boolean {
  return !hasArguments;
}

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/** Returns the last part of a stream that the provider has finished, which it may end. */
function finishedBy(part: Finish, sent: ProviderFetch): Finish | undefined {
  if (isUnfinished(part.finishReason)) return undefined;
  sent.letEnd();
  return part;
}

function finishChunks(
  kind: LanguageModelKind,
  head: JsonObject,
  part: Finish,
  calls: ReadonlyMap<string, ReadCall>,
): JsonObject[] {
  const refusal = refusalTextOf(kind, part.finishReason, part.providerMetadata);
  const delta = refusal === null ? {} : { refusal };
  const reason = finishReasonOf(kind, part.finishReason, calls.size > 0);
  const without = reason === "length" ? [] : [...calls.values()].filter(isWithoutArguments);
  const tool_calls = without.map(({ index }) => ({ index, function: { arguments: "{}" } }));
  return [
    ...(without.length === 0 ? [] : [{ ...head, choices: [choiceOf({ tool_calls }, null)] }]),
    { ...head, choices: [choiceOf(delta, reason)] },
    { ...head, choices: [], usage: part.usage.raw },
  ];
}

function choiceOf(delta: JsonObject, finishReason: string | null): JsonObject {
  return { index: 0, delta, logprobs: null, finish_reason: finishReason };
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1_000);
}

/**
 * Returns a function that translates a part to a delta, to undefined where it says nothing, and the calls
 * that it has translated, by their ids.
 */
function createTranslation(form: SignatureForm) {
  const signatures = createSignatures(form);
  const calls = new Map<string, ReadCall>();
  let isFirst = true;

  function deltaOf(part: LanguageModelV4StreamPart): JsonObject | undefined {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        signatures.start(part.providerMetadata);
        return undefined;
      case "text-delta":
        signatures.add(part.delta, part.providerMetadata);
        return part.delta === "" ? undefined : { content: part.delta };
      case "reasoning-delta":
        signatures.add(part.delta, part.providerMetadata);
        return part.delta === "" ? undefined : { reasoning_content: part.delta };
      case "text-end":
        return signatures.end({ type: "text" }, part.providerMetadata);
      case "reasoning-end":
        return signatures.end({ type: "reasoning" }, part.providerMetadata);
      case "tool-input-start": {
        if (part.providerExecuted) return undefined;
        const { id, toolName: name } = part;
        const index = calls.size;
        calls.set(id, { index, hasArguments: false });
        const call = { index, id, type: "function", function: { name, arguments: "" } };
        signatures.start(part.providerMetadata);
        return { tool_calls: [call], ...signatures.end({ type: "tool-call", id }) };
      }
      case "tool-input-delta":
        return argumentsOf(part.id, part.delta);
      case "tool-call":
        // A call without arguments has no deltas.
        return calls.get(part.toolCallId)?.hasArguments
          ? undefined
          : argumentsOf(part.toolCallId, part.input);
      default:
        return undefined;
    }
  }

  function argumentsOf(id: string, text: string): JsonObject | undefined {
    const call = calls.get(id);
    if (call === undefined || text === "") return undefined;
    call.hasArguments = true;
    return { tool_calls: [{ index: call.index, function: { arguments: text } }] };
  }

  function translate(part: LanguageModelV4StreamPart): JsonObject | undefined {
    const delta = deltaOf(part);
    if (delta === undefined || !isFirst) return delta;
    isFirst = false;
    return { role: "assistant", ...delta };
  }

  return { translate, calls };
}

/** Collects the text and the metadata of a block, and returns its detail when it ends. */
function createSignatures(form: SignatureForm) {
  let texts: string[] = [];
  let metadata: JsonObject = {};
  let details = 0;
  return {
    start(added: unknown): void {
      texts = [];
      metadata = metadataOf(form, added);
    },
    add(text: string, added: unknown): void {
      texts.push(text);
      if (added !== undefined) metadata = { ...metadata, ...metadataOf(form, added) };
    },
    end(part: GeneratedPart, added?: unknown): { reasoning_details: object[] } | undefined {
      const all = added === undefined ? metadata : { ...metadata, ...metadataOf(form, added) };
      const detail = reasoningDetail(form, { ...part, text: texts.join("") }, all, details);
      if (detail === undefined) return undefined;
      details += 1;
      return { reasoning_details: [detail] };
    },
  };
}
