import { type ChatRequest, chatRequest } from "../chat/request.ts";
import type { InputItem, MessagePart } from "./items.ts";
import { isReasoning, type ResponsesRequest } from "./request.ts";
import { allowedTools, type Tool } from "./tools.ts";

/**
 * Returns the request in the form that the simulator generates from. `reasoningTokens` of the limit
 * are used before the output begins. The tools of a namespace are called by a script alone, with the
 * name of the namespace in front.
 */
export function chatFromResponsesRequest(
  request: ResponsesRequest,
  reasoningTokens: number,
): ChatRequest {
  const { model, instructions, max_output_tokens: limit, tool_choice: choice } = request;
  const items = itemsOf(request);
  const said = instructions ? [{ role: "system", content: instructions }] : [];
  const messages = [...said, ...items.flatMap(toChatMessage)];
  const tools = toolsOf(request).flatMap(toChatTool);
  return chatRequest.parse({
    model,
    messages: messages.length === 0 ? [{ role: "user", content: "" }] : messages,
    max_tokens: limit && Math.max(1, limit - reasoningTokens),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: choice && toChatChoice(choice),
    response_format: toChatFormat(request.text?.format),
  });
}

export function itemsOf({ input }: ResponsesRequest): readonly InputItem[] {
  return typeof input === "string" ? [{ role: "user", content: input }] : (input ?? []);
}

/** Returns the tools of the request and of its `additional_tools` items that its choice allows. */
export function toolsOf(request: ResponsesRequest): readonly Tool[] {
  const added = itemsOf(request).flatMap((item) =>
    item.type === "additional_tools" ? item.tools : [],
  );
  return allowedTools([...(request.tools ?? []), ...added], request.tool_choice);
}

const separator = "__";

/** Returns a called tool's own name, and the namespace that it is in. */
export function toolOfNamespace(
  called: string,
  request: ResponsesRequest,
): { name: string; namespace?: string } {
  for (const tool of toolsOf(request)) {
    if (tool.type !== "namespace") continue;
    const prefix = `${tool.name}${separator}`;
    if (called.startsWith(prefix))
      return { name: called.slice(prefix.length), namespace: tool.name };
  }
  return { name: called };
}

const thought = "The user wrote something. I will respond to it.";

/** Returns what the model thinks before it responds; undefined for a request without reasoning. */
export function thoughtOf(request: ResponsesRequest): string | undefined {
  return isReasoning(request) ? thought : undefined;
}

function toChatMessage(item: InputItem): object[] {
  switch (item.type) {
    case undefined:
    case "message":
      return [{ role: item.role, content: contentOf(item.content) }];
    case "function_call":
      return [{ role: "assistant", content: item.arguments }];
    case "custom_tool_call":
      return [{ role: "assistant", content: item.input }];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ role: "tool", content: contentOf(item.output) }];
    default:
      return [];
  }
}

function contentOf(content: string | readonly MessagePart[]): string | object[] {
  if (typeof content === "string") return content;
  return content.map((part) => {
    if (part.type === "input_image") return { type: "image" };
    if (part.type === "input_file") return { type: "file" };
    if (part.type === "input_audio") return { type: "input_audio" };
    return { type: "text", text: part.type === "refusal" ? part.refusal : part.text };
  });
}

function toChatTool(tool: Tool): object[] {
  if (tool.type === "namespace") {
    return tool.tools.map(({ type, name }) => ({
      scripted: { name: `${tool.name}${separator}${name}`, isCustom: type === "custom" },
    }));
  }
  if (tool.type === "function") {
    return [{ function: { name: tool.name, parameters: tool.parameters ?? undefined } }];
  }
  return tool.type === "custom" ? [{ custom: { name: tool.name } }] : [];
}

function toChatChoice(choice: NonNullable<ResponsesRequest["tool_choice"]>): unknown {
  if (typeof choice === "string") return choice;
  if (choice.type === "allowed_tools") return choice.mode;
  if (choice.type === "web_search") return "auto";
  return { [choice.type]: { name: choice.name } };
}

function toChatFormat(format: NonNullable<ResponsesRequest["text"]>["format"]): unknown {
  if (format?.type !== "json_schema") return format ?? undefined;
  return { type: "json_schema", json_schema: { schema: format.schema } };
}
