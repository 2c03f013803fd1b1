import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
} from "@ai-sdk/provider";
import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";

/**
 * What the package does not say of the tools of a request: a marked tool has no cache point, and a named
 * one is sent without the others. It sends this member as it stands, and `withToolForm` writes what it
 * says into the body.
 */
export interface ToolForm {
  /** The cache points behind tools, by the tools' names. */
  cachePoints?: JsonObject;
  /** The tool that must be called. */
  named?: string;
}

const member = "toolForm";

/**
 * Returns the options of the tools, for the package and for `withToolForm`. Nova takes no cache points
 * among its tools: https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
export function toolFormOf(
  { tools = [], toolChoice }: LanguageModelV4CallOptions,
  takesMarks: boolean,
): {
  toolChoice?: NonNullable<LanguageModelV4CallOptions["toolChoice"]>;
  form: { [member]?: ToolForm };
} {
  const points: JsonObject = {};
  for (const { name, providerOptions } of tools as readonly LanguageModelV4FunctionTool[]) {
    const point = providerOptions?.amazonBedrock?.cachePoint;
    if (takesMarks && point !== undefined) points[name] = point;
  }
  const form: ToolForm = {
    ...(Object.keys(points).length === 0 ? {} : { cachePoints: points }),
    ...(toolChoice?.type === "tool" ? { named: toolChoice.toolName } : {}),
  };
  const choice = toolChoice?.type === "tool" ? { type: "required" as const } : toolChoice;
  return {
    ...(choice === undefined ? {} : { toolChoice: choice }),
    form: Object.keys(form).length === 0 ? {} : { [member]: form },
  };
}

/** Returns a request's body with what its `toolForm` says of its tools. */
export function withToolForm(body: string): string {
  if (!body.includes(`"${member}"`)) return body;
  const { [member]: form, ...request } = JSON.parse(body) as JsonObject;
  if (!isJsonObject(form)) return body;
  const { cachePoints, named } = form as ToolForm;
  const { toolConfig, additionalModelRequestFields: fields } = request;
  if (!isJsonObject(toolConfig)) return JSON.stringify(request);
  const tools = objectsIn(toolConfig.tools).flatMap((tool) => {
    const point = isJsonObject(tool.toolSpec) && cachePoints?.[String(tool.toolSpec.name)];
    return point ? [tool, { cachePoint: point }] : [tool];
  });
  const forced = isJsonObject(fields) ? fields.tool_choice : undefined;
  const isOwn = isJsonObject(forced) && named !== undefined;
  return JSON.stringify({
    ...request,
    ...(isOwn
      ? {
          additionalModelRequestFields: {
            ...(fields as JsonObject),
            tool_choice: { ...forced, type: "tool", name: named },
          },
        }
      : {}),
    toolConfig: {
      ...toolConfig,
      tools,
      ...(named === undefined || isOwn ? {} : { toolChoice: { tool: { name: named } } }),
    },
  });
}

/**
 * Returns the tools that a prompt has calls of, of which only the names are known: Converse refuses calls
 * and results in a request without tools.
 */
export function calledTools(
  prompt: readonly LanguageModelV4Message[],
): LanguageModelV4FunctionTool[] {
  const names = new Set<string>();
  for (const { content } of prompt) {
    if (typeof content === "string") continue;
    for (const part of content) {
      if (part.type === "tool-call" || part.type === "tool-result") names.add(part.toolName);
    }
  }
  return [...names].map((name) => ({
    type: "function",
    name,
    inputSchema: { type: "object", properties: {} },
  }));
}
