import { z } from "zod";
import { tool } from "./tools.ts";

/**
 * The items of a request's `input`, with the members of the `openai` package's `ResponseInputItem`.
 * Ids may be absent. A `%` in a message stands for the path of the member.
 */

/** The API checks how an id begins: `fc_…` is the id of a function call. */
function id(prefix: string) {
  return z
    .string()
    .refine((value) => value.startsWith(prefix), {
      error: ({ input }) => `Invalid '%': '${input}'. Expected an ID that begins with '${prefix}'.`,
    })
    .nullish();
}

const callId = z.string().min(1).max(64);
const status = z.enum(["in_progress", "completed", "incomplete"]).nullish();
const caller = z.looseObject({ type: z.enum(["direct", "program"]) }).nullish();
const breakpoint = z
  .strictObject({ mode: z.literal("explicit"), ttl: z.enum(["30m", "12h"]).optional() })
  .nullish();

const inputText = z.strictObject({
  type: z.literal("input_text"),
  text: z.string(),
  prompt_cache_breakpoint: breakpoint,
});

const webAddress = z.string().regex(/^https?:\/\/\S+$/, {
  error: "Invalid '%'. Expected a valid URL, but got a value with an invalid format.",
});
/** https://developers.openai.com/api/docs/guides/images-vision */
const imageUrl = z
  .string()
  .regex(/^(https?:\/\/\S+|data:image\/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2})$/, {
    error: "Invalid '%'. Expected a valid URL, but got a value with an invalid format.",
  });

const inputImage = z
  .strictObject({
    type: z.literal("input_image"),
    image_url: imageUrl.nullish(),
    file_id: z.string().nullish(),
    detail: z.enum(["low", "high", "auto", "original"]).nullish(),
    prompt_cache_breakpoint: breakpoint,
  })
  .refine((one) => Boolean(one.image_url ?? one.file_id), {
    error: "Missing required parameter: '%.image_url'.",
  });

const inputFile = z
  .strictObject({
    type: z.literal("input_file"),
    file_data: z
      .string()
      .regex(/^data:[\w.+-]+\/[\w.+-]+;base64,/, {
        error: "Invalid '%'. Expected a base64-encoded data URL with a file's MIME type.",
      })
      .nullish(),
    file_id: z.string().nullish(),
    file_url: webAddress.nullish(),
    filename: z.string().nullish(),
    detail: z.enum(["auto", "low", "high"]).nullish(),
    prompt_cache_breakpoint: breakpoint,
  })
  .refine((one) => Boolean(one.file_data ?? one.file_id ?? one.file_url), {
    error: "Missing required parameter: '%.file_id'.",
  });

const inputAudio = z.strictObject({
  type: z.literal("input_audio"),
  input_audio: z.strictObject({ data: z.base64(), format: z.enum(["mp3", "wav"]) }),
});

const inputPart = z.discriminatedUnion("type", [inputText, inputImage, inputFile, inputAudio]);
const outputPart = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("output_text"),
    text: z.string(),
    annotations: z.array(z.looseObject({ type: z.string() })).optional(),
    logprobs: z.array(z.looseObject({})).nullish(),
  }),
  z.strictObject({ type: z.literal("refusal"), refusal: z.string() }),
]);
export type MessagePart = z.output<typeof inputPart> | z.output<typeof outputPart>;

const messageHead = { type: z.literal("message").optional(), id: id("msg"), status };
const message = z.discriminatedUnion("role", [
  z.strictObject({
    ...messageHead,
    role: z.enum(["user", "system", "developer"]),
    content: z.union([z.string(), z.array(inputPart)]),
    phase: z.null().optional(),
  }),
  z.strictObject({
    ...messageHead,
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(outputPart)]),
    phase: z.enum(["commentary", "final_answer"]).nullish(),
  }),
]);

const call = { call_id: callId, name: z.string().min(1), namespace: z.string().nullish(), caller };
const output = z.union([z.string(), z.array(inputPart)]);

const reasoning = z.strictObject({
  type: z.literal("reasoning"),
  id: id("rs"),
  summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string() })),
  content: z
    .array(z.strictObject({ type: z.literal("reasoning_text"), text: z.string() }))
    .nullish(),
  encrypted_content: z.string().nullish(),
  status,
});

/** The calls of tools that the provider or the agent's own search runs. */
const searchItems = [
  z.strictObject({
    type: z.literal("web_search_call"),
    id: id("ws"),
    action: z.looseObject({ type: z.enum(["search", "open_page", "find_in_page"]) }).nullish(),
    status: z.enum(["in_progress", "searching", "completed", "failed", "incomplete"]).nullish(),
  }),
  z.strictObject({
    type: z.literal("tool_search_call"),
    id: z.string().nullish(),
    arguments: z.unknown(),
    call_id: callId.nullish(),
    execution: z.enum(["server", "client"]).optional(),
    status,
  }),
  z.strictObject({
    type: z.literal("tool_search_output"),
    id: z.string().nullish(),
    call_id: callId.nullish(),
    execution: z.enum(["server", "client"]).optional(),
    tools: z.array(tool),
    status,
  }),
] as const;

export const inputItem = z.discriminatedUnion("type", [
  message,
  z.strictObject({
    type: z.literal("function_call"),
    id: id("fc"),
    ...call,
    arguments: z.string(),
    status,
  }),
  z.strictObject({
    type: z.literal("function_call_output"),
    id: id("fc"),
    call_id: callId,
    output,
    name: z.string().nullish(),
    namespace: z.string().nullish(),
    caller,
    status,
  }),
  z.strictObject({
    type: z.literal("custom_tool_call"),
    id: id("ctc"),
    ...call,
    input: z.string(),
    status,
  }),
  z.strictObject({
    type: z.literal("custom_tool_call_output"),
    id: id("ctc"),
    call_id: callId,
    output,
    name: z.string().nullish(),
    caller,
    status,
  }),
  reasoning,
  ...searchItems,
  z.strictObject({
    type: z.literal("additional_tools"),
    id: z.string().nullish(),
    role: z.literal("developer"),
    tools: z.array(tool),
  }),
  z.strictObject({ type: z.literal("item_reference"), id: z.string() }),
]);
export type InputItem = z.output<typeof inputItem>;
