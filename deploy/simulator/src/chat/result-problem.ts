import type { ProviderError } from "../error-response.ts";
import type { ChatMessage } from "./request.ts";

/**
 * Returns what OpenAI refuses of the results of tools: they follow the turn of their call directly, and
 * are text. https://platform.openai.com/docs/guides/function-calling
 */
export function resultProblem(messages: readonly ChatMessage[]): ProviderError | undefined {
  for (const [index, message] of messages.entries()) {
    const problem =
      message.role === "tool" ? contentProblem(message) : callProblem(messages, index);
    if (problem === undefined) continue;
    return { status: 400, message: problem, code: "invalid_value" };
  }
  return undefined;
}

function contentProblem({ content }: ChatMessage): string | undefined {
  const other = Array.isArray(content) ? content.find(({ type }) => type !== "text") : undefined;
  return other && `Invalid value: '${other.type}'. Supported values are: 'text'.`;
}

function callProblem(messages: readonly ChatMessage[], index: number): string | undefined {
  const called = (messages[index]?.tool_calls ?? []).map(({ id }) => id);
  const rest = messages.slice(index + 1);
  const end = rest.findIndex(({ role }) => role !== "tool");
  const answered = rest.slice(0, end < 0 ? rest.length : end).map((one) => one.tool_call_id);
  const isLate = (id?: string) =>
    rest.some((one) => one.role === "tool" && one.tool_call_id === id);
  const missing = called.filter((id) => !answered.includes(id) && isLate(id));
  if (missing.length === 0) return undefined;
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${missing.join(", ")}`;
}
