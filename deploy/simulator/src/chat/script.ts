import { z } from "zod";
import type { ToolCall } from "./invented-call.ts";
import { type ChatRequest, textOf } from "./request.ts";

const step = z.union([
  z.strictObject({
    tool: z.string(),
    /** The arguments of a function; the input of a custom tool. */
    arguments: z.union([z.string(), z.looseObject({})]),
  }),
  z.strictObject({ text: z.string() }),
]);

const script = z.array(step).min(1);

/** One response of a scripted model: a tool call or a text. */
export type ScriptedStep = z.output<typeof step>;

/** The part of a user's text that has the script. Base64url survives any quoting by an agent. */
const marker = /\[\[steps:([\w-]+)\]\]/;

/**
 * Returns the text by which a user scripts the model, on every chat route. The first response is the
 * first step, and the response to the result of step n is step n + 1. After the last step, the model
 * responds as it does without a script.
 */
export function scripted(steps: readonly ScriptedStep[]): string {
  return `[[steps:${Buffer.from(JSON.stringify(steps)).toString("base64url")}]]`;
}

/** What a script says that the model responds. */
export type ScriptedTurn = { toolCall: ToolCall } | { text: string };

/**
 * Returns what the latest script in a user's text says; undefined without one, after its last step,
 * and for a request without tools, such as an agent's request for a title. Throws when the script is
 * not a list of steps.
 */
export function scriptedTurn(request: ChatRequest, id: string): ScriptedTurn | undefined {
  const next = nextStep(request);
  if (next === undefined || "text" in next) return next;
  const { tools, tool_choice: choice } = request;
  if (!tools?.length || choice === "none") return undefined;
  const name = next.tool;
  const text = typeof next.arguments === "string" ? next.arguments : JSON.stringify(next.arguments);
  const listed = tools.find((tool) => tool.scripted?.name === name)?.scripted;
  if (listed?.isCustom || tools.some((tool) => tool.custom?.name === name)) {
    return { toolCall: { id, name, arguments: text, isCustom: true } };
  }
  if (listed !== undefined || tools.some((tool) => tool.function?.name === name)) {
    return { toolCall: { id, name, arguments: text } };
  }
  return { text: `The script calls ${name}, which the request does not have.` };
}

function nextStep({ messages }: ChatRequest): ScriptedStep | undefined {
  const at = messages.findLastIndex(
    (message) => message.role === "user" && textOf(message).includes("[[steps:"),
  );
  const message = messages[at];
  const encoded = message && marker.exec(textOf(message))?.[1];
  if (encoded === undefined) return undefined;
  const steps = script.parse(JSON.parse(Buffer.from(encoded, "base64url").toString()));
  return steps[resultsIn(messages.slice(at + 1))];
}

/** Counts the results of steps. Those of parallel calls follow each other and count once. */
function resultsIn(messages: ChatRequest["messages"]): number {
  return messages.filter(
    ({ role }, index) => role === "tool" && messages[index - 1]?.role !== "tool",
  ).length;
}
