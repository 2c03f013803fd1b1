import { describeIssue } from "@tollgate/core/schema-errors";
import { z } from "zod";
import { alias, boolean, integerFrom, numberFrom, refused, text } from "../../validation/fields.ts";
import { listOf } from "../../validation/first-error-lists.ts";
import type { QueryParameter } from "../route-rules.ts";

/**
 * The members of a Messages request that the gateway reads, with their types. `allow-list.ts` says which
 * others a request may have.
 */

const object = z.looseObject({}, { error: "must be an object" });
const typed = z.looseObject({ type: text }, { error: "must be an object with a type" });
const source = z.looseObject(
  { type: text, url: text.optional(), media_type: text.optional(), data: text.optional() },
  { error: "must be an object with a type" },
);

/** The members of blocks that the gateway reads, by the block's type. */
const members: Readonly<Record<string, z.ZodObject>> = {
  text: z.looseObject({ text }),
  image: z.looseObject({ source }),
  document: z.looseObject({ source }),
  tool_use: z.looseObject({ id: text, name: text.min(1, "must not be empty"), input: object }),
  tool_result: z.looseObject({ tool_use_id: text }),
  thinking: z.looseObject({ thinking: text, signature: text.optional() }),
  redacted_thinking: z.looseObject({ data: text }),
};

/** A block of any type; those of the types that the gateway knows are checked. */
function block(more: Readonly<Record<string, z.ZodObject>> = {}) {
  const known = { ...members, ...more };
  return typed
    .superRefine((value, context) => {
      const schema = Object.hasOwn(known, value.type) ? known[value.type] : undefined;
      const { error } = schema?.safeParse(value, { error: describeIssue }) ?? {};
      for (const issue of error?.issues ?? []) {
        context.addIssue({ ...issue } as z.core.$ZodSuperRefineIssue);
      }
    })
    .meta({
      allOf: Object.entries(known).map(([type, schema]) => ({
        if: { properties: { type: { const: type } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: z.toJSONSchema(schema, { unrepresentable: "any" }),
      })),
    });
}

function content(blocks: z.ZodType) {
  return z.union([text, listOf(blocks, "must be an array of content blocks")], {
    error: "must be a string or an array of content blocks",
  });
}

const tool = z.looseObject(
  { name: text.min(1, "must not be empty").optional(), input_schema: object.optional() },
  { error: "must be an object" },
);
const thinking = z.looseObject(
  { type: text, budget_tokens: z.int({ error: "must be an integer" }).optional() },
  { error: "must be an object with a type" },
);
const choice = z.looseObject(
  { type: text, name: text.optional() },
  { error: "must be an object with a type" },
);
const inner = block();
const result = z.looseObject({ tool_use_id: text, content: content(inner).nullish() });
const message = z
  .looseObject({
    role: z.enum(["user", "assistant", "system"], {
      error: 'must be "user", "assistant" or "system"',
    }),
    content: content(block({ tool_result: result })),
  })
  .meta({ id: "MessageParam" });

const prompt = {
  model: alias,
  messages: listOf(message, "must be an array of messages")
    .min(1, "must not be empty")
    .describe("The messages of the conversation."),
  system: content(inner).optional().describe("The instructions of the system."),
  tools: listOf(tool, "must be an array of objects")
    .optional()
    .describe("The tools that the model may call."),
  tool_choice: choice.optional().describe("Whether the model calls a tool, or which."),
  thinking: thinking
    .optional()
    .describe("Whether the model thinks before its response, and how much."),
};

/** A request of POST /v1/messages. */
export const messagesSchema = z.looseObject({
  ...prompt,
  max_tokens: z
    .int({ error: "must be an integer of at least 1" })
    .min(1, "must be an integer of at least 1")
    .describe("The maximum number of tokens to generate."),
  stream: boolean.describe("Whether to stream the response as server-sent events."),
  stop_sequences: listOf(text, "must be an array of strings")
    .optional()
    .describe("Sequences at which the model stops."),
  temperature: numberFrom(0, 1).describe("The sampling temperature."),
  top_p: numberFrom(0, 1).describe("Sample from the tokens that make up this probability mass."),
  top_k: integerFrom(0).describe("Sample from this number of the most likely tokens."),
  thread: refused(
    "the gateway stores no threads. Send all messages; a tool runner of the SDK does with thread: false",
  ),
  metadata: object.optional().describe("`user_id` identifies your end user."),
  output_config: object.optional().describe("The effort and the format of the response."),
});

/** A request of POST /v1/messages/count_tokens. */
export const countTokensSchema = z.looseObject(prompt);

/** Anthropic's clients add `?beta=true` to requests of their beta namespace. */
export const betaQuery: readonly QueryParameter[] = [
  {
    name: "beta",
    description: "Accepted: clients add it to requests of their beta namespace.",
    schema: { type: "string" },
  },
];
