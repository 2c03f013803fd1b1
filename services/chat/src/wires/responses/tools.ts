import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { notTranslated, refuseOthers, requireName } from "../not-translated.ts";

/** Between the name of a namespace and that of its tool, as one name of a function. */
const separator = "__";

/** A tool of a request, as a chat completion's function is called. */
export interface NamedTool {
  /** The tool's own name, and its namespace. */
  name: string;
  namespace?: string;
  /**
   * Whether its input is JSON, or free text, which a function has as its only argument. `search`: the
   * client's search of further tools.
   */
  input: "json" | "text" | "search";
}

/** The function that a model calls to search further tools at the client. */
const searchFunction = "tool_search";

/**
 * Returns the tools of a request: its own, and those that its items add. Codex sends all of them as an
 * item for the models that it knows.
 */
export function toolsOfRequest({ tools, input }: JsonObject): readonly PlacedTool[] {
  const own = placed(tools, "tools");
  const added = objectsIn(input).flatMap((item, index) => {
    const path = `input[${index}].tools`;
    if (item.type === "additional_tools") return placed(item.tools, path);
    return item.type === "tool_search_output" ? placed(item.tools, path) : [];
  });
  return [...own, ...added];
}

/** A tool with its path in the request. */
export interface PlacedTool {
  tool: JsonObject;
  path: string;
}

function placed(tools: unknown, path: string): readonly PlacedTool[] {
  return objectsIn(tools).map((tool, index) => ({ tool, path: `${path}[${index}]` }));
}

/** Returns the tools of a request by the names of their functions. */
export function namedTools(request: JsonObject): ReadonlyMap<string, NamedTool> {
  const named = new Map<string, NamedTool>();
  for (const { tool } of toolsOfRequest(request)) {
    const name = String(tool.name);
    if (tool.type === "namespace") {
      for (const inner of objectsIn(tool.tools)) {
        const own = { name: String(inner.name), namespace: name, input: inputOf(inner) };
        named.set(functionName(own.name, name), own);
      }
    } else if (tool.type === "tool_search") {
      named.set(searchFunction, { name: searchFunction, input: "search" });
    } else named.set(name, { name, input: inputOf(tool) });
  }
  return named;
}

function inputOf({ type }: JsonObject): NamedTool["input"] {
  return type === "custom" ? "text" : "json";
}

/** Returns the name of the function for a tool. */
export function functionName(name: unknown, namespace: unknown): string {
  if (typeof namespace !== "string" || namespace === "") return String(name);
  return `${namespace}${separator}${name}`;
}

/**
 * Returns the tools of a request as functions, each name once. Throws `invalid_param` for tools that
 * OpenAI runs.
 */
export function functionsOf(request: JsonObject): JsonObject[] | undefined {
  const functions = new Map<unknown, JsonObject>();
  for (const { tool, path } of toolsOfRequest(request)) {
    for (const one of functionsIn(tool, path)) {
      if (isJsonObject(one.function)) functions.set(one.function.name, one);
    }
  }
  return functions.size === 0 ? undefined : [...functions.values()];
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
    case "tool_search":
      return searchFunctions(tool);
    case "web_search":
      // It may read no more than OpenAI's cache of pages, so that it is an offer without a promise.
      if (tool.external_web_access === false) return [];
      throw notTranslated(`${path}.type`);
    default:
      throw notTranslated(`${path}.type`);
  }
}

/** OpenAI searches the tools of the request, all of which are functions here; a client searches others. */
function searchFunctions({ execution, description, parameters }: JsonObject): JsonObject[] {
  if (execution !== "client") return [];
  const search = {
    name: searchFunction,
    ...(typeof description === "string" ? { description } : {}),
    parameters: parameters ?? { type: "object", properties: { query: { type: "string" } } },
  };
  return [{ type: "function", function: search }];
}

function functionOf(tool: JsonObject, path: string): JsonObject {
  // All tools are in the prompt of a chat completion.
  const { type: _, name, description, parameters, strict, defer_loading: _late, ...others } = tool;
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
  const { type: _, name, description, format, defer_loading: _late, ...others } = tool;
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

/** Returns what a model searches: the object in the arguments of the search's function. */
export function searchArguments(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // The model wrote the query itself.
  }
  return text === "" ? {} : { query: text };
}

/** Returns the call of the search's function in an item of the search. */
export function searchCall({ call_id: id, arguments: input }: JsonObject): JsonObject {
  const text = typeof input === "string" ? input : JSON.stringify(input ?? {});
  return { id, type: "function", function: { name: searchFunction, arguments: text || "{}" } };
}
