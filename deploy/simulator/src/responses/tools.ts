import { z } from "zod";

/**
 * The tools of the Responses API, with the members of the `openai` package's types (`FunctionTool`,
 * `CustomTool`, `NamespaceTool`, `ToolSearchTool`, `WebSearchTool`) and of the requests that the
 * Codex CLI sends: https://developers.openai.com/api/reference/resources/responses/methods/create
 */

const toolName = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[a-zA-Z0-9_-]+$/);
const schema = z.looseObject({});

/** Members of every tool that the model calls. */
const calledTool = {
  name: toolName,
  description: z.string().nullish(),
  allowed_callers: z.array(z.enum(["direct", "programmatic"])).nullish(),
  async: z.boolean().optional(),
  defer_loading: z.boolean().optional(),
};

const functionTool = z.strictObject({
  type: z.literal("function"),
  ...calledTool,
  parameters: schema.nullish(),
  strict: z.boolean().nullish(),
  output_schema: schema.nullish(),
});

const customTool = z.strictObject({
  type: z.literal("custom"),
  ...calledTool,
  format: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("text") }),
      z.strictObject({
        type: z.literal("grammar"),
        syntax: z.enum(["lark", "regex"]),
        definition: z.string(),
      }),
    ])
    .optional(),
});

const namespaceTool = z.strictObject({
  type: z.literal("namespace"),
  name: toolName,
  description: z.string(),
  tools: z.array(z.discriminatedUnion("type", [functionTool, customTool])),
});

const toolSearch = z.strictObject({
  type: z.literal("tool_search"),
  description: z.string().nullish(),
  execution: z.enum(["server", "client"]).optional(),
  parameters: schema.nullish(),
});

const webSearch = z.strictObject({
  type: z.enum(["web_search", "web_search_2025_08_26"]),
  external_web_access: z.boolean().optional(),
  filters: z.strictObject({ allowed_domains: z.array(z.string()).nullish() }).nullish(),
  search_content_types: z.array(z.enum(["text", "image"])).optional(),
  search_context_size: z.enum(["low", "medium", "high"]).optional(),
  user_location: z
    .strictObject({
      type: z.literal("approximate").optional(),
      city: z.string().nullish(),
      country: z.string().nullish(),
      region: z.string().nullish(),
      timezone: z.string().nullish(),
    })
    .nullish(),
});

export const tool = z.discriminatedUnion("type", [
  functionTool,
  customTool,
  namespaceTool,
  toolSearch,
  webSearch,
]);
export type Tool = z.output<typeof tool>;

const named = { name: z.string() };

export const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("function"), ...named }),
    z.strictObject({ type: z.literal("custom"), ...named }),
    z.strictObject({ type: z.literal("web_search") }),
    z.strictObject({
      type: z.literal("allowed_tools"),
      mode: z.enum(["auto", "required"]),
      tools: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })).min(1),
    }),
  ]),
]);
export type ToolChoice = z.output<typeof toolChoice>;

/** Returns the tools that a choice allows: all of them, or those that it lists. */
export function allowedTools(
  tools: readonly Tool[],
  choice: ToolChoice | null | undefined,
): readonly Tool[] {
  if (typeof choice !== "object" || choice?.type !== "allowed_tools") return tools;
  return tools.filter((one) => choice.tools.some((allowed) => isSame(one, allowed)));
}

/** Whether a tool is the one that a choice names. */
export function isSame(one: Tool, chosen: { type: string; name?: string | undefined }): boolean {
  return one.type === chosen.type && ("name" in one ? one.name : undefined) === chosen.name;
}
