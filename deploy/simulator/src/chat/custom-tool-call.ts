import type { ChatRequest } from "./request.ts";
import type { ToolCall } from "./tool-call.ts";

const input = "An example of free text, which the simulator made up.";

/**
 * Returns the call of a custom tool, which takes text instead of JSON: of the tool that
 * `tool_choice` names, or of the first one if the request has no functions.
 */
export function inventCustomCall(
  { tools, tool_choice: choice }: ChatRequest,
  id: string,
): ToolCall | undefined {
  const named = typeof choice === "object" ? choice?.custom?.name : undefined;
  const custom = (tools ?? []).flatMap((tool) => tool.custom ?? []);
  const hasFunctions = (tools ?? []).some((tool) => tool.function !== undefined);
  const called =
    custom.find(({ name }) => name === named) ?? (hasFunctions ? undefined : custom[0]);
  return called && { id, name: called.name, arguments: input, isCustom: true };
}

/** Returns what a call, or the first part of it in a stream, has besides its id. */
export function callBody({ name, isCustom }: ToolCall, text: string): object {
  if (isCustom) return { type: "custom", custom: { name, input: text } };
  return { type: "function", function: { name, arguments: text } };
}

/** Returns a later part of a call. */
export function callPart({ isCustom }: ToolCall, text: string): object {
  return isCustom ? { custom: { input: text } } : { function: { arguments: text } };
}
