import { type GeneratedChoice, generate } from "../chat/generation.ts";
import type { ToolCall } from "../chat/invented-call.ts";
import { tokensOfCharacters } from "../chat/tokens.ts";
import type { Commands } from "../commands.ts";
import { encryptedContent } from "./encrypted-content.ts";
import type { ResponsesRequest } from "./request.ts";
import { chatFromResponsesRequest, thoughtOf, toolOfNamespace } from "./to-chat-request.ts";

type ItemStatus = "completed" | "incomplete";

export interface OutputText {
  type: "output_text";
  annotations: readonly object[];
  logprobs: readonly object[];
  text: string;
}

export interface RefusalPart {
  type: "refusal";
  refusal: string;
}

/** An item of the output of a response. */
export type OutputItem =
  | {
      id: string;
      type: "reasoning";
      encrypted_content?: string;
      summary: readonly { type: "summary_text"; text: string }[];
    }
  | {
      id: string;
      type: "message";
      status: ItemStatus;
      content: readonly (OutputText | RefusalPart)[];
      role: "assistant";
    }
  | {
      id: string;
      type: "function_call";
      status: ItemStatus;
      arguments: string;
      call_id: string;
      name: string;
      namespace?: string;
    }
  | {
      id: string;
      type: "custom_tool_call";
      status: ItemStatus;
      call_id: string;
      input: string;
      name: string;
      namespace?: string;
    }
  | { id: string; type: "web_search_call"; status: ItemStatus; action: { type: string } };

/** A generated response, before it is sent as JSON or as a stream. */
export interface GeneratedResponse {
  output: readonly OutputItem[];
  status: "completed" | "incomplete" | "failed";
  incompleteDetails: { reason: "max_output_tokens" | "content_filter" } | null;
  error: { code: "server_error"; message: string } | null;
  usage: Readonly<Record<string, unknown>> | null;
  /** What the tools report that the API runs. */
  toolUsage?: object;
  promptTokens: number;
  completionTokens: number;
}

/** Generates the response to one request. */
export function generateResponse(
  request: ResponsesRequest,
  commands: Commands,
  seq: number,
): GeneratedResponse {
  const thought = thoughtOf(request);
  const limit = request.max_output_tokens ?? Number.POSITIVE_INFINITY;
  const thoughtTokens = Math.min(limit, tokensOfCharacters(thought?.length ?? 0));
  const { choices, usage } = generate(
    chatFromResponsesRequest(request, thoughtTokens),
    commands,
    seq,
  );
  // The reasoning may use up the limit, so that nothing else is generated.
  const choice = thoughtTokens < limit ? choices[0] : undefined;
  const generatedTokens = thoughtTokens + (choice === undefined ? 0 : usage.completionTokens);
  const tokens = {
    promptTokens: usage.promptTokens,
    completionTokens: commands.usage?.completionTokens ?? generatedTokens,
  };
  const reason = incompleteReason(choice, commands);
  const output = [
    ...(thought === undefined ? [] : [reasoningOf(request, thought, seq)]),
    ...searchesOf(commands, seq),
    ...(choice === undefined ? [] : outputOf(request, choice, reason === undefined, commands, seq)),
  ];
  const generated = { ...tokens, output };
  if (commands.response_failed !== undefined) {
    const error = failureOf(commands);
    return { ...generated, status: "failed", incompleteDetails: null, error, usage: null };
  }
  const reported = commands.no_usage ? null : usageOf(tokens, thoughtTokens, commands);
  return {
    ...generated,
    status: reason === undefined ? "completed" : "incomplete",
    incompleteDetails: reason === undefined ? null : { reason },
    error: null,
    usage: reported,
    ...toolUsageOf(commands),
  };
}

/** After its searches, the model opens a page, which is not billed. */
function searchesOf({ searches = 0 }: Commands, seq: number): OutputItem[] {
  if (searches === 0) return [];
  const actions = Array.from({ length: searches }, (_, index) => {
    return { type: "search", query: `query ${index}` };
  });
  return [...actions, { type: "open_page", url: "https://a.test" }].map((action, index) => {
    return { id: `ws_${seq}_${index}`, type: "web_search_call", status: "completed", action };
  });
}

function toolUsageOf({ searches, no_usage, usage_block }: Commands): { toolUsage?: object } {
  if (searches === undefined || no_usage || usage_block !== undefined) return {};
  const image_gen = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  return { toolUsage: { image_gen, web_search: { num_requests: searches } } };
}

function incompleteReason(choice: GeneratedChoice | undefined, { blocked }: Commands) {
  if (blocked) return "content_filter";
  const isCutShort = choice === undefined || choice.finishReason === "length";
  return isCutShort ? "max_output_tokens" : undefined;
}

function outputOf(
  request: ResponsesRequest,
  { content, toolCall }: GeneratedChoice,
  isComplete: boolean,
  commands: Commands,
  seq: number,
): OutputItem[] {
  if (toolCall === undefined) return [messageOf(content, isComplete, commands, seq)];
  const calls = request.parallel_tool_calls === false ? 1 : (commands.calls ?? 1);
  const status = isComplete ? "completed" : "incomplete";
  const tool = toolOfNamespace(toolCall.name, request);
  return Array.from({ length: calls }, (_, index) => ({
    ...callOf(toolCall, status, seq, index),
    ...tool,
  }));
}

function failureOf({ message }: Commands) {
  const said = message ?? "The simulator was commanded to fail.";
  return { code: "server_error" as const, message: said };
}

function reasoningOf({ reasoning, include }: ResponsesRequest, thought: string, seq: number) {
  const encrypted = include?.includes("reasoning.encrypted_content")
    ? { encrypted_content: encryptedContent(seq) }
    : {};
  const summarizes = reasoning?.summary ?? reasoning?.generate_summary;
  const summary = summarizes ? [{ type: "summary_text" as const, text: thought }] : [];
  return { id: `rs_${seq}`, type: "reasoning" as const, ...encrypted, summary };
}

function callOf(called: ToolCall, status: ItemStatus, seq: number, index: number) {
  const { name, isCustom, arguments: text } = called;
  const call_id = `call_${seq}_${index}`;
  const id = `${isCustom ? "ctc" : "fc"}_${seq}_${index}`;
  if (isCustom) {
    return { id, type: "custom_tool_call" as const, status, call_id, input: text, name };
  }
  return { id, type: "function_call" as const, status, arguments: text, call_id, name };
}

/** With the command `blocked`, a filter stops the text in its middle. */
function messageOf(text: string, isComplete: boolean, commands: Commands, seq: number): OutputItem {
  const said = commands.blocked ? text.slice(0, text.length / 2) : text;
  const part = { type: "output_text" as const, annotations: [], logprobs: [], text: said };
  const refusal = { type: "refusal" as const, refusal: "The simulator was commanded to refuse." };
  const content = [commands.refusal ? refusal : part];
  const status = isComplete ? "completed" : "incomplete";
  return { id: `msg_${seq}`, type: "message", status, content, role: "assistant" };
}

/** Input tokens include those of the cache; output tokens include those of reasoning. */
function usageOf(
  { promptTokens, completionTokens }: { promptTokens: number; completionTokens: number },
  thoughtTokens: number,
  commands: Commands,
): Readonly<Record<string, unknown>> {
  const { read = 0, fiveMinutes = 0, oneHour = 0 } = commands.cached ?? {};
  const usage = {
    input_tokens: promptTokens,
    input_tokens_details: { cache_write_tokens: fiveMinutes + oneHour, cached_tokens: read },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: Math.min(thoughtTokens, completionTokens) },
    total_tokens: promptTokens + completionTokens,
  };
  return commands.usage_block ?? usage;
}
