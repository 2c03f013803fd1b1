import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { notTranslated, refuseOthers, requireName } from "../not-translated.ts";

/** Between the name of a namespace and that of its tool, as one name of a function. */
const separator = "__";

/** A tool of a request, as a chat completion's function is called. */
export interface NamedTool {
  /** The tool's own name, and its namespace. */
  name: string;
  namespace?: string;
  /** Whether its input is free text. A function has it as its only argument. */
  isCustom: boolean;
}

/** Returns the tools of a request by the names of their functions. */
export function namedTools({ tools }: JsonObject): ReadonlyMap<string, NamedTool> {
  const named = new Map<string, NamedTool>();
  for (const tool of objectsIn(tools)) {
    const name = String(tool.name);
    if (tool.type === "namespace") {
      for (const inner of objectsIn(tool.tools)) {
        const isCustom = inner.type === "custom";
        const own = { name: String(inner.name), namespace: name, isCustom };
        named.set(functionName(own.name, name), own);
      }
    } else named.set(name, { name, isCustom: tool.type === "custom" });
  }
  return named;
}

/** Returns the name of the function for a tool. */
export function functionName(name: unknown, namespace: unknown): string {
  if (typeof namespace !== "string" || namespace === "") return String(name);
  return `${namespace}${separator}${name}`;
}

/** Returns the tools of a request as functions. Throws `invalid_param` for tools that OpenAI runs. */
export function functionsOf(tools: unknown): JsonObject[] | undefined {
  const functions = objectsIn(tools).flatMap((tool, index) => functionsIn(tool, `tools[${index}]`));
  return functions.length === 0 ? undefined : functions;
}

function functionsIn(tool: JsonObject, path: string): JsonObject[] {
  switch (tool.type) {
    case "function":
      requireName(tool, path);
      return [functionOf(tool, path)];
    case "custom":
      requireName(tool, path);
      return [customFunction(tool, path)];
    case "namespace":
      return objectsIn(tool.tools).map((inner, index) => {
        const at = `${path}.tools[${index}]`;
        if (inner.type !== "custom" && inner.type !== "function") throw notTranslated(`${at}.type`);
        requireName(inner, at);
        const named = { ...inner, name: functionName(inner.name, tool.name) };
        return inner.type === "custom" ? customFunction(named, at) : functionOf(named, at);
      });
    case "web_search":
      // It may read no more than OpenAI's cache of pages, so that it is an offer without a promise.
      if (tool.external_web_access === false) return [];
      throw notTranslated(`${path}.type`);
    default:
      throw notTranslated(`${path}.type`);
  }
}

function functionOf(tool: JsonObject, path: string): JsonObject {
  const { type: _, name, description, parameters, strict, ...others } = tool;
  refuseOthers(others, path);
  return {
    type: "function",
    function: {
      name,
      ...(typeof description === "string" ? { description } : {}),
      parameters: parameters ?? { type: "object", properties: {} },
      ...(typeof strict === "boolean" ? { strict } : {}),
    },
  };
}

/** A tool with free text is a function with that text as its argument. */
function customFunction(tool: JsonObject, path: string): JsonObject {
  const { type: _, name, description, format, ...others } = tool;
  refuseOthers(others, path);
  const grammar = isJsonObject(format) && format.type === "grammar" ? grammarText(format) : "";
  const texts = [description, grammar].filter((text) => typeof text === "string" && text !== "");
  return {
    type: "function",
    function: {
      name,
      ...(texts.length === 0 ? {} : { description: texts.join("\n\n") }),
      parameters: {
        type: "object",
        properties: { input: { type: "string", description: "The input of the tool." } },
        required: ["input"],
        additionalProperties: false,
      },
    },
  };
}

function grammarText({ syntax, definition }: JsonObject): string {
  return `The input must match this grammar (${syntax}):\n${definition}`;
}

/** Returns the tool choice of a chat completion request. Throws `invalid_param`. */
export function toolChoiceOf(choice: unknown): unknown {
  if (!isJsonObject(choice)) return choice ?? undefined;
  const { type, name, namespace } = choice;
  if (type !== "function" && type !== "custom") throw notTranslated("tool_choice.type");
  return { type: "function", function: { name: functionName(name, namespace) } };
}

/** Returns the free text in the arguments of a custom tool's function. */
export function customInput(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value) && typeof value.input === "string") return value.input;
  } catch {
    // The model wrote the text itself.
  }
  return text;
}
