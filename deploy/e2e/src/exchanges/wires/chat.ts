import type OpenAI from "openai";
import { expect } from "vitest";
import { emptyResult, type ReadResult, readCall, readEvents } from "./result.ts";

type Said = Partial<
  Record<"content" | "refusal" | "reasoning_content" | "reasoning", string | null>
>;
type Choice = OpenAI.ChatCompletion.Choice & { message: Said };
type ChunkChoice = OpenAI.ChatCompletionChunk.Choice & { delta: Said };
type Failed = { error?: { code: string } };

/** Reads a chat completion, or an error. */
export function readCompletion(text: string): ReadResult {
  const completion = JSON.parse(text) as OpenAI.ChatCompletion & Failed;
  if (completion.error !== undefined) return { ...emptyResult(), error: completion.error.code };
  expect(completion).toMatchObject({ object: "chat.completion", choices: [{ index: 0 }] });
  const { message, finish_reason } = completion.choices[0] as Choice;
  const calls = (message.tool_calls ?? []).map((call) => {
    expect(call).toMatchObject({ id: expect.stringMatching(/./), type: "function" });
    return callOf(call as OpenAI.ChatCompletionMessageFunctionToolCall);
  });
  expectDistinct((message.tool_calls ?? []).map(({ id }) => id));
  return {
    ...emptyResult(),
    ...saidIn(message),
    calls,
    finish: finish_reason,
    usage: usageOf(completion.usage),
  };
}

/**
 * Reads a stream of chat completions. Checks its form: one identity, calls that begin in order and have one
 * id and name each, one finish reason, then the usage and `[DONE]`, or an error.
 */
export function readCompletionStream(text: string): ReadResult {
  const events = readEvents(text);
  const result = emptyResult();
  const calls: { id: string; name: string; text: string }[] = [];
  const last = events.at(-1) as Failed | "[DONE]";
  if (last !== "[DONE]") result.error = last.error?.code ?? "";
  const chunks = events.slice(0, last === "[DONE]" ? -1 : undefined);
  expect(chunks).not.toContain("[DONE]");
  for (const chunk of chunks as unknown as (OpenAI.ChatCompletionChunk & Failed)[]) {
    if (chunk.error !== undefined) continue;
    expect(chunk.id).toBe((chunks[0] as { id?: string }).id);
    if (chunk.choices.length === 0) result.usage = usageOf(chunk.usage);
    for (const choice of chunk.choices as ChunkChoice[]) {
      addChoice(result, choice);
      for (const part of choice.delta.tool_calls ?? []) addPart(calls, part);
    }
  }
  expectDistinct(calls.map(({ id }) => id));
  return { ...result, calls: calls.map(({ name, text }) => readCall(name, text)) };
}

function addChoice(result: ReadResult, { delta, finish_reason }: ChunkChoice): void {
  const said = saidIn(delta);
  result.text += said.text;
  result.reasoning += said.reasoning;
  if (finish_reason === null || finish_reason === undefined) return;
  expect(result.finish, "a second finish reason").toBeUndefined();
  result.finish = finish_reason;
}

function addPart(
  calls: { id: string; name: string; text: string }[],
  part: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall,
): void {
  expect(part.index).toBeLessThanOrEqual(calls.length);
  if (part.index === calls.length) {
    expect(part).toMatchObject({ id: expect.stringMatching(/./), function: { name: /./ } });
    calls.push({ id: part.id ?? "", name: part.function?.name ?? "", text: "" });
  }
  const call = calls[part.index];
  if (call !== undefined) call.text += part.function?.arguments ?? "";
}

function callOf({
  function: { name, arguments: text },
}: OpenAI.ChatCompletionMessageFunctionToolCall) {
  return readCall(name, text);
}

function saidIn({ content, refusal, reasoning_content, reasoning }: Said) {
  return {
    text: (content ?? "") + (refusal ?? ""),
    reasoning: reasoning_content ?? reasoning ?? "",
  };
}

function usageOf(usage: (OpenAI.CompletionUsage & { cost?: number }) | null | undefined) {
  if (!usage) return undefined;
  const { prompt_tokens: prompt, completion_tokens: output, total_tokens, cost } = usage;
  expect(total_tokens).toBe(prompt + output);
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens;
  return { prompt, cached, output, reasoning, cost };
}

function expectDistinct(ids: readonly string[]): void {
  expect(new Set(ids).size, `calls with one id: ${ids}`).toBe(ids.length);
}
