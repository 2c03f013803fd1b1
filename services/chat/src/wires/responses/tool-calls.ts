import { isJsonObject, type JsonObject, objectsIn, readCount } from "@tollgate/core/json";
import type { ToolCalls } from "@tollgate/providers/chat-usage";
import type { OfferedTool } from "../../hold/hold-plan.ts";

/** The items that are calls of tools which the provider runs, by their type. */
const toolOfItem: Readonly<Record<string, string>> = {
  web_search_call: "web_search",
  x_search_call: "x_search",
  file_search_call: "file_search",
  code_interpreter_call: "code_execution",
  program: "code_execution",
  image_generation_call: "image_generation",
  mcp_call: "mcp",
};

/** What a call of the web search does besides a search, which costs nothing. */
const freeActions: ReadonlySet<unknown> = new Set(["open_page", "find_in_page"]);

/** Returns the call in an item of the output; undefined for any other item, and for a free action. */
export function toolCallIn(item: unknown): ToolCalls | undefined {
  const tool = toolOf(item);
  return tool === undefined || isFree(item) ? undefined : { tool, quantity: 1n };
}

/** Returns what an event says of such calls. One is counted when it starts, before its action is known. */
export function toolCallInEvent({ type, item }: JsonObject): ToolCalls | undefined {
  const tool = toolOf(item);
  if (tool === undefined) return undefined;
  if (type === "response.output_item.added") return { tool, quantity: 1n };
  const isUncounted = type === "response.output_item.done" && isFree(item);
  return isUncounted ? { tool, quantity: -1n } : undefined;
}

/** Reads the calls that OpenAI reports beside the usage of the model. */
export function reportedToolCalls({ tool_usage }: JsonObject): readonly ToolCalls[] {
  if (!isJsonObject(tool_usage) || !isJsonObject(tool_usage.web_search)) return [];
  const quantity = readCount(tool_usage.web_search.num_requests);
  return quantity === undefined ? [] : [{ tool: "web_search", quantity }];
}

function toolOf(item: unknown): string | undefined {
  if (!isJsonObject(item) || typeof item.type !== "string") return undefined;
  if (item.type === "shell_call") return isInContainer(item) ? "code_execution" : undefined;
  return Object.hasOwn(toolOfItem, item.type) ? toolOfItem[item.type] : undefined;
}

/** Whether a shell, or a call of it, is in a container of the provider and not at the client. */
function isInContainer({ environment }: JsonObject): boolean {
  return isJsonObject(environment) && environment.type !== "local";
}

function isFree(item: unknown): boolean {
  if (!isJsonObject(item) || !isJsonObject(item.action)) return false;
  return freeActions.has(item.action.type);
}

/** The types of such tools in a request, without their dates. */
const toolOfType: Readonly<Record<string, string>> = {
  web_search: "web_search",
  web_search_preview: "web_search",
  file_search: "file_search",
  code_interpreter: "code_execution",
  programmatic_tool_calling: "code_execution",
  image_generation: "image_generation",
  mcp: "mcp",
};

/** Returns the tools of a request that the provider runs, those that its input adds included. */
export function responsesTools(request: JsonObject): readonly OfferedTool[] {
  const maxCalls = readCount(request.max_tool_calls);
  const tools = [request.tools, ...objectsIn(request.input).map(({ tools: added }) => added)];
  return tools.flatMap(objectsIn).flatMap((offered) => {
    const { type } = offered;
    if (type === "shell" && isInContainer(offered)) return [{ tool: "code_execution", maxCalls }];
    const name = String(type).replace(/_\d{4}_\d\d_\d\d$/, "");
    const tool = Object.hasOwn(toolOfType, name) ? toolOfType[name] : undefined;
    return tool === undefined ? [] : [{ tool, maxCalls }];
  });
}
