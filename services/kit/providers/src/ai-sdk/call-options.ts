import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
} from "@ai-sdk/provider";
import { invalidParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { notSupported } from "../not-supported.ts";
import { withPlacedMarks } from "./cache-marks.ts";
import { cacheOptions, type PromptForm, promptOf } from "./prompt.ts";

/** What the requests of a kind may have. */
export interface RequestForm extends PromptForm {
  /** The schema of the format `json_object`, for a provider that takes schemas only. */
  objectSchema: JSONSchema7 | undefined;
}

/**
 * Returns the form of a provider that does not sign its thinking, which is kept without details, and
 * that fetches images itself.
 */
export function unsignedForm(
  provider: string,
  { takesLateInstructions, inputs }: Pick<RequestForm, "takesLateInstructions" | "inputs">,
): RequestForm {
  return {
    signatures: { provider, format: `${provider}-unsigned-v1`, signature: "signature" },
    images: { typeAt: () => "image/*" },
    inputs,
    takesLateInstructions,
    objectSchema: undefined,
  };
}

/**
 * Translates what all kinds express the same way: messages, stop sequences, the format of the response
 * and tools. Throws `invalid_param`.
 */
export function commonOptions(given: JsonObject, form: RequestForm) {
  const request = withPlacedMarks(given);
  return {
    prompt: promptOf(request.messages as readonly JsonObject[], form),
    ...stopOf(request.stop),
    ...formatOf(request.response_format, form.objectSchema),
    ...toolsOf(request, form),
  };
}

/** Returns the output limit of a request. */
export function outputLimit(request: JsonObject): number | undefined {
  const limit = request.max_completion_tokens ?? request.max_tokens;
  return typeof limit === "number" ? limit : undefined;
}

/** Returns the values that are numbers. */
export function numbers<Name extends string>(
  values: Record<Name, unknown>,
): { [Key in Name]?: number } {
  const entries = Object.entries(values).filter(([, value]) => typeof value === "number");
  return Object.fromEntries(entries) as { [Key in Name]?: number };
}

type ResponseFormat = NonNullable<LanguageModelV4CallOptions["responseFormat"]>;

/** Moves the description of a schema into it, for packages that send only the schema. */
export function described(format: ResponseFormat): ResponseFormat {
  if (format.type !== "json" || format.schema === undefined) return format;
  if (format.description === undefined) return format;
  return { ...format, schema: { description: format.description, ...format.schema } };
}

function stopOf(stop: unknown): Pick<LanguageModelV4CallOptions, "stopSequences"> {
  if (typeof stop === "string") return { stopSequences: [stop] };
  return Array.isArray(stop) && stop.length > 0 ? { stopSequences: stop.map(String) } : {};
}

function formatOf(
  format: unknown,
  objectSchema: JSONSchema7 | undefined,
): Pick<LanguageModelV4CallOptions, "responseFormat"> {
  if (!isJsonObject(format) || format.type === "text") return {};
  if (format.type === "json_object") {
    const schema = objectSchema === undefined ? {} : { schema: objectSchema };
    return { responseFormat: { type: "json", ...schema } };
  }
  const { json_schema: given } = format;
  if (format.type !== "json_schema" || !isJsonObject(given)) {
    throw notSupported("response_format.type", 'use "json_schema", "json_object" or "text"');
  }
  if (!isJsonObject(given.schema)) {
    throw invalidParam("response_format.json_schema.schema", "must be an object");
  }
  return {
    responseFormat: {
      type: "json",
      schema: given.schema,
      ...(typeof given.name === "string" ? { name: given.name } : {}),
      ...(typeof given.description === "string" ? { description: given.description } : {}),
    },
  };
}

function toolsOf(
  { tools, tool_choice: choice }: JsonObject,
  form: RequestForm,
): Pick<LanguageModelV4CallOptions, "tools" | "toolChoice"> {
  if (!Array.isArray(tools) || tools.length === 0) return {};
  const translated = tools.map((tool, index) =>
    toolOf(tool as JsonObject, `tools[${index}]`, form),
  );
  return { tools: translated, toolChoice: choiceOf(choice) };
}

function toolOf(tool: JsonObject, path: string, form: RequestForm): LanguageModelV4FunctionTool {
  if (tool.type !== "function" || !isJsonObject(tool.function)) {
    throw notSupported(`${path}.type`, 'use "function"');
  }
  const { name, description, parameters, strict } = tool.function;
  return {
    type: "function",
    name: String(name),
    inputSchema: schemaOf(parameters),
    ...(typeof description === "string" ? { description } : {}),
    ...(strict === true ? { strict } : {}),
    ...cacheOptions(tool.cache_control, form),
  };
}

/** The schema of a function is that of an object, also where it does not say so. */
function schemaOf(parameters: unknown): JSONSchema7 {
  if (!isJsonObject(parameters)) return { type: "object", properties: {} };
  if (parameters.type !== undefined) return parameters;
  return { type: "object", properties: {}, ...parameters };
}

function choiceOf(choice: unknown): NonNullable<LanguageModelV4CallOptions["toolChoice"]> {
  if (choice === "none" || choice === "required") return { type: choice };
  if (!isJsonObject(choice)) return { type: "auto" };
  const { type, function: named } = choice;
  if (type !== "function" || !isJsonObject(named) || typeof named.name !== "string") {
    throw notSupported("tool_choice.type", 'use "function", and name the function');
  }
  return { type: "tool", toolName: named.name };
}
