import { isJsonObject, type JsonObject, objectsIn, readCount } from "@tollgate/core/json";
import type { ToolCalls } from "@tollgate/providers/chat-usage";
import type { OfferedTool } from "../../hold/hold-plan.ts";

/** The tools that Anthropic runs and bills, by the name in their call's block. */
const toolOfBlock: Readonly<Record<string, string>> = {
  web_search: "web_search",
  web_fetch: "web_fetch",
  code_execution: "code_execution",
  bash_code_execution: "code_execution",
  text_editor_code_execution: "code_execution",
};

/** Returns the call of a tool that the provider runs in a block of a message; undefined for another. */
export function toolCallInBlock(block: unknown): ToolCalls | undefined {
  if (!isJsonObject(block)) return undefined;
  const { type, name } = block;
  if (type === "mcp_tool_use") return { tool: "mcp", quantity: 1n };
  if (type !== "server_tool_use" || typeof name !== "string") return undefined;
  const tool = Object.hasOwn(toolOfBlock, name) ? toolOfBlock[name] : undefined;
  return tool === undefined ? undefined : { tool, quantity: 1n };
}

/** The types of such tools in a request, without their dates. */
const toolOfType: Readonly<Record<string, string>> = {
  web_search: "web_search",
  web_fetch: "web_fetch",
  code_execution: "code_execution",
  mcp_toolset: "mcp",
};

/** Returns the tools of a request that Anthropic runs and bills, those that its messages add included. */
export function messagesTools({ tools, messages }: JsonObject): readonly OfferedTool[] {
  const added = objectsIn(messages).flatMap(({ content }) =>
    objectsIn(content).flatMap(addedTools),
  );
  return [...objectsIn(tools), ...added].flatMap(({ type, max_uses }) => {
    const name = String(type).replace(/_\d{8}$/, "");
    const tool = Object.hasOwn(toolOfType, name) ? toolOfType[name] : undefined;
    return tool === undefined ? [] : [{ tool, maxCalls: readCount(max_uses) }];
  });
}

/** Returns the definitions of tools that a block adds. */
function addedTools({ type, tool, tool_changes }: JsonObject): readonly JsonObject[] {
  if (type === "compaction") return objectsIn(tool_changes).flatMap(addedTools);
  return type === "tool_addition" && isJsonObject(tool) ? objectsIn([tool.definition]) : [];
}
