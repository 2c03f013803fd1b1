import { splitText } from "../chat/chunks.ts";
import { begunBody, finalBody } from "./body.ts";
import type { GeneratedResponse, OutputItem, OutputText, RefusalPart } from "./response.ts";

/** An event of a stream, without its sequence number. */
export type ResponseEvent = { type: string; delta?: string } & Record<string, unknown>;

/** An item of the output with its place in the events of a stream. */
interface Place {
  item_id: string;
  output_index: number;
}

/**
 * Yields all events of a stream but the last, in the order of OpenAI's reference. With `chunks`, each
 * text has that many deltas.
 * https://developers.openai.com/api/reference/resources/responses/streaming-events
 */
export function* contentEvents(
  generated: GeneratedResponse,
  head: object,
  chunks: number | undefined,
): Generator<ResponseEvent> {
  yield { type: "response.created", response: begunBody(head) };
  yield { type: "response.in_progress", response: begunBody(head) };
  for (const [output_index, item] of generated.output.entries()) {
    yield { type: "response.output_item.added", output_index, item: begun(item) };
    yield* contentsOf(item, { item_id: item.id, output_index }, chunks);
    yield { type: "response.output_item.done", output_index, item };
  }
}

/** Returns the last event of a stream, which has the whole response. */
export function finalEvent(generated: GeneratedResponse, head: object): ResponseEvent {
  return { type: `response.${generated.status}`, response: finalBody(head, generated) };
}

function begun(item: OutputItem): object {
  if (item.type === "reasoning") return { ...item, summary: [] };
  if (item.type === "web_search_call") {
    return { id: item.id, type: item.type, status: "in_progress" };
  }
  const started = { ...item, status: "in_progress" };
  if (item.type === "message") return { ...started, content: [] };
  return item.type === "function_call" ? { ...started, arguments: "" } : { ...started, input: "" };
}

function* contentsOf(
  item: OutputItem,
  place: Place,
  chunks: number | undefined,
): Generator<ResponseEvent> {
  if (item.type === "reasoning") {
    yield* summaryOf(item.summary, place);
  } else if (item.type === "message") {
    for (const [content_index, part] of item.content.entries()) {
      yield* partOf(part, { ...place, content_index }, chunks);
    }
  } else if (item.type === "function_call") {
    const type = "response.function_call_arguments";
    for (const delta of splitText(item.arguments, chunks)) {
      yield { type: `${type}.delta`, ...place, delta };
    }
    yield { type: `${type}.done`, ...place, arguments: item.arguments };
  } else if (item.type === "web_search_call") {
    for (const state of ["in_progress", "searching", "completed"]) {
      yield { type: `response.web_search_call.${state}`, ...place };
    }
  } else {
    const type = "response.custom_tool_call_input";
    for (const delta of splitText(item.input, chunks)) {
      yield { type: `${type}.delta`, ...place, delta };
    }
    yield { type: `${type}.done`, ...place, input: item.input };
  }
}

function* summaryOf(
  summary: readonly { type: "summary_text"; text: string }[],
  place: Place,
): Generator<ResponseEvent> {
  for (const [summary_index, part] of summary.entries()) {
    const at = { ...place, summary_index };
    const empty = { ...part, text: "" };
    yield { type: "response.reasoning_summary_part.added", ...at, part: empty };
    for (const delta of splitText(part.text, undefined)) {
      yield { type: "response.reasoning_summary_text.delta", ...at, delta };
    }
    yield { type: "response.reasoning_summary_text.done", ...at, text: part.text };
    yield { type: "response.reasoning_summary_part.done", ...at, part };
  }
}

function* partOf(
  part: OutputText | RefusalPart,
  at: Place & { content_index: number },
  chunks: number | undefined,
): Generator<ResponseEvent> {
  if (part.type === "refusal") {
    yield { type: "response.content_part.added", ...at, part: { ...part, refusal: "" } };
    for (const delta of splitText(part.refusal, chunks)) {
      yield { type: "response.refusal.delta", ...at, delta };
    }
    yield { type: "response.refusal.done", ...at, refusal: part.refusal };
  } else {
    yield { type: "response.content_part.added", ...at, part: { ...part, text: "" } };
    for (const delta of splitText(part.text, chunks)) {
      yield { type: "response.output_text.delta", ...at, delta, logprobs: [] };
    }
    yield { type: "response.output_text.done", ...at, text: part.text, logprobs: [] };
  }
  yield { type: "response.content_part.done", ...at, part };
}
