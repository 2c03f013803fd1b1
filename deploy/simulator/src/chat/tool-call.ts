import { exampleOf } from "./example-value.ts";
import type { ChatRequest } from "./request.ts";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/**
 * Returns the call that the model makes when a user's message comes with tools: to the function
 * that `tool_choice` names, else to the first one. Undefined when the model responds with text.
 */
export function inventToolCall(request: ChatRequest, id: string): ToolCall | undefined {
  const { tools, tool_choice: choice, messages } = request;
  if (!tools || choice === "none" || messages.at(-1)?.role !== "user") return undefined;
  const named = typeof choice === "object" ? choice?.function?.name : undefined;
  const functions = tools.flatMap((tool) => tool.function ?? []);
  const called = functions.find(({ name }) => name === named) ?? functions[0];
  if (called === undefined) return undefined;
  const value = exampleOf(called.parameters ?? { type: "object" });
  return { id, name: called.name, arguments: JSON.stringify(value) };
}
