import { describeIssue } from "@tollgate/core/schema-errors";
import { z } from "zod";
import { alias, boolean, integerFrom, numberFrom, refused, text } from "../../validation/fields.ts";
import { listOf } from "../../validation/first-error-lists.ts";

/**
 * The members of a Responses request that the gateway reads, with their types. `allow-list.ts` says which
 * others a request may have.
 */

const object = z.looseObject({}, { error: "must be an object" });
const typed = z.looseObject({ type: text }, { error: "must be an object with a type" });

const stored = "the gateway stores no responses. Send all items of the conversation as input";

/** A part of any type, with the members of those that the gateway reads. */
const part = z.looseObject(
  { type: text, text: text.optional(), refusal: text.optional(), image_url: text.nullish() },
  { error: "must be an object with a type" },
);
const output = z.union([text, listOf(part, "must be an array of parts")], {
  error: "must be a string or an array of parts",
});
const content = z.union([text, listOf(part, "must be an array of content parts")], {
  error: "must be a string or an array of content parts",
});
const name = text.min(1, "must not be empty");
const tool = z.looseObject(
  { type: text, name: name.optional(), parameters: object.nullish() },
  { error: "must be an object with a type" },
);

/** The members of items that the gateway reads, by the item's type. */
const items: Readonly<Record<string, z.ZodObject>> = {
  message: z.looseObject({
    role: z.enum(["user", "assistant", "system", "developer"], {
      error: 'must be "user", "assistant", "system" or "developer"',
    }),
    content,
  }),
  function_call: z.looseObject({ call_id: text, name, arguments: text }),
  function_call_output: z.looseObject({ call_id: text, output }),
  custom_tool_call: z.looseObject({ call_id: text, name, input: text }),
  custom_tool_call_output: z.looseObject({ call_id: text, output }),
};

/** An item of any type; those of the types that the gateway knows are checked. */
const item = z
  .looseObject({ type: text.optional() }, { error: "must be an object" })
  .superRefine(({ type = "message", ...members }, context) => {
    const schema = Object.hasOwn(items, type) ? items[type] : undefined;
    const { error } = schema?.safeParse(members, { error: describeIssue }) ?? {};
    for (const issue of error?.issues ?? []) {
      context.addIssue({ ...issue } as z.core.$ZodSuperRefineIssue);
    }
  })
  .meta({
    id: "InputItem",
    allOf: Object.entries(items).map(([type, schema]) => ({
      if: {
        properties: { type: { const: type } },
        ...(type === "message" ? {} : { required: ["type"] }),
      },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: z.toJSONSchema(schema, { unrepresentable: "any" }),
    })),
  });

/** A request of POST /v1/responses. */
export const responsesSchema = z.looseObject({
  model: alias,
  input: z
    .union([text, listOf(item, "must be an array of items").min(1, "must not be empty")], {
      error: "must be a string or an array of items",
    })
    .describe("The text, or all items of the conversation."),
  instructions: text.optional().describe("The instructions of the system."),
  max_output_tokens: integerFrom(1).describe("The maximum number of tokens to generate."),
  stream: boolean.describe("Whether to stream the response as server-sent events."),
  temperature: numberFrom(0, 2).describe("The sampling temperature."),
  top_p: numberFrom(0, 1).describe("Sample from the tokens that make up this probability mass."),
  tools: listOf(tool, "must be an array of objects")
    .optional()
    .describe("The tools that the model may call."),
  tool_choice: z
    .union([z.enum(["none", "auto", "required"]), typed], {
      error: 'must be "none", "auto", "required" or an object with a type',
    })
    .optional()
    .describe("Whether the model calls a tool, or which."),
  parallel_tool_calls: boolean.describe("Whether the model may call several tools at once."),
  reasoning: object.optional().describe("The effort of the model's reasoning, and its summary."),
  text: object.optional().describe("The format of the text, and its verbosity."),
  metadata: object.optional().describe("Key-value pairs, which the response repeats."),
  store: z
    .literal(false, { error: `must be false: ${stored}` })
    .optional()
    .describe("Responses are not stored."),
  previous_response_id: refused(stored),
  conversation: refused(stored),
  prompt: refused("the gateway has no prompt templates. Send the prompt as input"),
  background: z
    .literal(false, { error: "must be false: the gateway runs no responses in the background" })
    .optional()
    .describe("Responses do not run in the background."),
});
