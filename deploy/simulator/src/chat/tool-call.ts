import { exampleOf } from "../json-schema/example-value.ts";
import { existingPaths, missingPaths } from "../json-schema/harmless-words.ts";
import { inventCustomCall } from "./custom-tool-call.ts";
import type { ChatRequest } from "./request.ts";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text; the input of a custom tool. */
  readonly arguments: string;
  readonly isCustom?: true;
}

/** Names of tools that read, the most useful first call first. */
const readingNames: readonly RegExp[] = [
  /(^|[^a-z])(read|get|view|look|show|cat)|[a-z](Read|Get|View)/,
  /(^|[^a-z])(list|ls|find|search|glob|grep|query)|[a-z](List|Find|Search)/,
];

const writingName =
  /write|edit|replace|update|create|insert|patch|delete|remove|move|rename|run|exec|send/i;

/**
 * Returns the call that the model makes, with arguments that match the function's schema. A model
 * that may choose calls a tool in response to a user, and responds with text to the tool's result:
 * it calls a function that only reads, by its name, else the first one. A model that must
 * call a tool, or the function that `tool_choice` names, always does. Undefined for text.
 */
export function inventToolCall(request: ChatRequest, id: string): ToolCall | undefined {
  const { tools, tool_choice: choice } = request;
  if (!tools || choice === "none") return undefined;
  const isForced = choice === "required" || typeof choice === "object";
  if (!(isForced && choice) && lastSpeaker(request) !== "user") return undefined;
  const named = typeof choice === "object" ? choice?.function?.name : undefined;
  const custom = inventCustomCall(request, id);
  if (custom !== undefined) return custom;
  const functions = tools.flatMap((tool) => tool.function ?? []);
  const [called] = [
    ...functions.filter(({ name }) => name === named),
    ...readingNames.flatMap((reads) => functions.filter(({ name }) => isReading(name, reads))),
    ...functions,
  ];
  if (called === undefined) return undefined;
  const parameters = { type: "object", ...objectOf(called.parameters) };
  const onlyReads = readingNames.some((reads) => isReading(called.name, reads));
  const value = exampleOf(parameters, onlyReads ? existingPaths : missingPaths);
  return { id, name: called.name, arguments: JSON.stringify(value) };
}

function isReading(name: string, reads: RegExp): boolean {
  return reads.test(name) && !writingName.test(name);
}

/** Returns the role of the last message that is not an instruction. */
function lastSpeaker({ messages }: ChatRequest): string | undefined {
  return messages.findLast(({ role }) => role !== "system" && role !== "developer")?.role;
}

function objectOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
