import type OpenAI from "openai";
import { expect } from "vitest";
import { emptyResult, type ReadResult, type ReadUsage, readCall, readEvents } from "./result.ts";

type Response = OpenAI.Responses.Response;
type Item = OpenAI.Responses.ResponseOutputItem;
type Failed = { error: { code: string } };

/** Reads a response, or an error. */
export function readResponse(text: string): ReadResult {
  const response = JSON.parse(text) as Response | Failed;
  if (!("output" in response)) return { ...emptyResult(), error: response.error.code };
  return resultOf(response);
}

/**
 * Reads a stream of a response. Checks its form: events are numbered from 0, items have the indexes from 0
 * and one after another start and end, texts are the sums of their parts, the last event has the items that
 * ended.
 */
export function readResponseStream(text: string): ReadResult {
  const events = readEvents(text) as unknown as OpenAI.Responses.ResponseStreamEvent[];
  const items: Item[] = [];
  let sum = "";
  let last: ReadResult | undefined;
  for (const [number, event] of events.entries()) {
    expect(event.sequence_number).toBe(number);
    switch (event.type) {
      case "response.output_item.added":
        expect(event.output_index).toBe(items.length);
        sum = "";
        break;
      case "response.output_text.delta":
      case "response.function_call_arguments.delta":
      case "response.refusal.delta":
        expect(event.output_index).toBe(items.length);
        sum += event.delta;
        break;
      case "response.output_item.done":
        expect(event.output_index).toBe(items.length);
        if (event.item.type === "function_call") expect(sum).toBe(event.item.arguments);
        if (event.item.type === "message") expect(sum).toBe(textOf(event.item));
        items.push(event.item);
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        expect(event).toBe(events.at(-1));
        last = resultOf(event.response);
        if (event.type === "response.failed") last.error = event.response.error?.code;
        else expect(said(event.response.output)).toEqual(said(items));
        break;
      default:
        // Others begin and end parts, and are what a provider of the Responses API adds.
        expect(event.type).not.toBe("");
    }
  }
  expect(last, `the stream has no last event: ${text.slice(-300)}`).toBeDefined();
  return last ?? emptyResult();
}

function resultOf({ output, status, incomplete_details, usage }: Response): ReadResult {
  const result = said(output);
  const ended = result.calls.length > 0 ? "tool_calls" : "stop";
  result.finish = status === "completed" ? ended : reasons[incomplete_details?.reason ?? ""];
  return { ...result, usage: usageOf(usage) };
}

/** Returns what items say. Those of other types are what a provider of the Responses API adds. */
function said(output: readonly Item[]): ReadResult {
  const result = emptyResult();
  const ids = new Set<string>();
  for (const item of output) {
    if (item.type === "message") result.text += textOf(item);
    if (item.type === "reasoning") result.reasoning += reasoningOf(item);
    if (item.type !== "function_call") continue;
    expect(item.call_id).toMatch(/./);
    expect(ids).not.toContain(item.call_id);
    ids.add(item.call_id);
    result.calls.push(readCall(item.name, item.arguments));
  }
  return result;
}

const reasons: Readonly<Record<string, string>> = {
  max_output_tokens: "length",
  content_filter: "content_filter",
};

function textOf({ content }: OpenAI.Responses.ResponseOutputMessage): string {
  return content
    .map((part) => (part.type === "refusal" ? part.refusal : (part.text ?? "")))
    .join("");
}

function reasoningOf({ summary, content = [] }: OpenAI.Responses.ResponseReasoningItem): string {
  return [...summary, ...content].map(({ text = "" }) => text).join("");
}

function usageOf(usage: Response["usage"]): ReadUsage | undefined {
  if (!usage) return undefined;
  const { input_tokens: prompt, output_tokens: output, total_tokens } = usage;
  expect(total_tokens).toBe(prompt + output);
  const cached = usage.input_tokens_details.cached_tokens;
  const reasoning = usage.output_tokens_details.reasoning_tokens;
  return { prompt, cached, output, reasoning };
}
