import { isJsonObject } from "@tollgate/core/json";
import type { ToolCalls } from "@tollgate/providers/chat-usage";

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
