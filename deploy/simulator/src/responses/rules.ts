import type { ProviderError } from "../error-response.ts";
import { encryptedPrefix } from "./encrypted-content.ts";
import type { InputItem } from "./items.ts";
import type { ResponsesRequest } from "./request.ts";
import { strictSchemaProblem } from "./strict-schema.ts";
import { itemsOf, toolsOf } from "./to-chat-request.ts";
import { isSame } from "./tools.ts";

/**
 * Returns the error of a request that breaks a rule between members, in the words of OpenAI's API;
 * undefined for a valid one. The simulator stores nothing, so that no reference can be found.
 */
export function responsesProblem(request: ResponsesRequest): ProviderError | undefined {
  return (
    referenceProblem(request) ??
    optionProblem(request) ??
    inputProblem(itemsOf(request)) ??
    toolProblem(request) ??
    formatProblem(request)
  );
}

function referenceProblem(request: ResponsesRequest): ProviderError | undefined {
  const { previous_response_id: previous, conversation, prompt, background } = request;
  if (previous) {
    return {
      status: 400,
      message: `Previous response with id '${previous}' not found.`,
      param: "previous_response_id",
      code: "previous_response_not_found",
    };
  }
  if (conversation) {
    const id = typeof conversation === "string" ? conversation : conversation.id;
    return { status: 404, message: `Conversation with id '${id}' not found.` };
  }
  if (prompt) return { status: 404, message: `Prompt with id '${prompt.id}' not found.` };
  if (!background) return undefined;
  return invalid(
    "background",
    "Unsupported parameter: 'background' is not supported with this model.",
    "unsupported_parameter",
  );
}

function optionProblem(request: ResponsesRequest): ProviderError | undefined {
  if (request.stream_options && !request.stream) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    return invalid("stream_options", message);
  }
  if (itemsOf(request).length > 0) return undefined;
  const message =
    "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.";
  return invalid("input", message, "missing_required_parameter");
}

function inputProblem(items: readonly InputItem[]): ProviderError | undefined {
  for (const item of items) {
    const isLost =
      item.type === "item_reference" || (item.type === "reasoning" && !item.encrypted_content);
    if (isLost && item.id) {
      const message = `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
      return { status: 404, message, param: "input" };
    }
    if (item.type !== "reasoning" || item.encrypted_content?.startsWith(encryptedPrefix)) continue;
    const [start, end] = [item.encrypted_content?.slice(0, 4), item.encrypted_content?.slice(-4)];
    const message = `The encrypted content ${start}...${end} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
    return { status: 400, message, code: "invalid_encrypted_content" };
  }
  return (
    pairProblem(items, "function_call", "function call") ??
    pairProblem(items, "custom_tool_call", "custom tool call")
  );
}

/** Each call has an output behind it, and each output a call before it. */
function pairProblem(
  items: readonly InputItem[],
  type: "function_call" | "custom_tool_call",
  name: string,
): ProviderError | undefined {
  const open = new Set<string>();
  for (const item of items) {
    if (!("call_id" in item) || !item.call_id) continue;
    if (item.type === type) open.add(item.call_id);
    if (item.type === `${type}_output` && !open.delete(item.call_id)) {
      const message = `No tool call found for ${name} output with call_id ${item.call_id}.`;
      return invalid("input", message);
    }
  }
  const [pending] = open;
  if (pending === undefined) return undefined;
  return invalid("input", `No tool output found for ${name} ${pending}.`);
}

function toolProblem(request: ResponsesRequest): ProviderError | undefined {
  const choiceProblem = toolChoiceProblem(request);
  if (choiceProblem !== undefined) return choiceProblem;
  for (const [index, tool] of (request.tools ?? []).entries()) {
    if (tool.type !== "function" || !tool.strict) continue;
    const problem = strictSchemaProblem(tool.parameters ?? {});
    if (problem === undefined) continue;
    const message = `Invalid schema for function '${tool.name}': ${problem}`;
    return invalid(`tools[${index}].parameters`, message, "invalid_function_parameters");
  }
  return undefined;
}

function toolChoiceProblem(request: ResponsesRequest): ProviderError | undefined {
  const { tool_choice: choice } = request;
  const all = toolsOf({ ...request, tool_choice: undefined });
  if (choice === "required" && all.length === 0) {
    const message = "Tool choice 'required' must be specified with 'tools' parameter.";
    return invalid("tool_choice", message);
  }
  if (typeof choice !== "object" || choice === null) return undefined;
  const chosen = choice.type === "allowed_tools" ? choice.tools : [choice];
  const missing = chosen.find((one) => !all.some((tool) => isSame(tool, one)));
  if (missing === undefined) return undefined;
  return invalid("tool_choice", `Tool choice '${missing.type}' not found in 'tools' parameter.`);
}

function formatProblem(request: ResponsesRequest): ProviderError | undefined {
  const { input, text } = request;
  const format = text?.format;
  if (format?.type === "json_object" && !/json/i.test(JSON.stringify(input))) {
    const message =
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.";
    return invalid("input", message);
  }
  if (format?.type !== "json_schema" || !format.strict) return undefined;
  const problem = strictSchemaProblem(format.schema);
  if (problem === undefined) return undefined;
  const message = `Invalid schema for response_format '${format.name}': ${problem}`;
  return invalid("text.format.schema", message, "invalid_json_schema");
}

function invalid(param: string, message: string, code?: string): ProviderError {
  return { status: 400, message, param, ...(code === undefined ? {} : { code }) };
}
