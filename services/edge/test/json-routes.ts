import { parseCatalog } from "@tollgate/catalog/parse";
import { GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import { vendors } from "@tollgate/providers";
import type { z } from "zod";
import { RequestBody } from "../src/http/request-body.ts";
import { parseChat } from "../src/routes/chat-completions/parse-chat.ts";
import { chatCompletionsSchema } from "../src/routes/chat-completions/schema.ts";
import {
  classificationSchema,
  entityLaneSchema,
  taxonomyLaneSchema,
} from "../src/routes/classification/schema.ts";
import { embeddingsSchema } from "../src/routes/embeddings/schema.ts";
import { imagesSchema } from "../src/routes/image-generations/schema.ts";
import { rerankSchema } from "../src/routes/rerank/schema.ts";
import { settlementRequestSchema } from "../src/routes/settlement/schema.ts";
import { speechSchema } from "../src/routes/speech/schema.ts";
import { validate, withoutNulls } from "../src/validation/validate.ts";

/** A route that takes JSON: its schema, how it parses a body, and valid bodies. */
export interface JsonRouteCase {
  schema: z.ZodObject;
  parse(body: JsonObject): unknown;
  /** Valid bodies, which together have every documented member. */
  bodies: JsonObject[];
}

function routeOf(schema: z.ZodObject, ...bodies: JsonObject[]): JsonRouteCase {
  return { schema, bodies, parse: (body) => validate(schema, withoutNulls(schema, body)) };
}

const catalog = parseCatalog(
  `
providers: { p: { base_url: "http://localhost/v1" } }
models:
  - alias: old
    route_type: classification
    lane: taxonomy
    taxonomies: ["2.1", "2.2"]
    pricing: { per: 1, price: "1" }
    chain: [{ provider: p, model: m }]
`,
  vendors,
);

export const validAlias = "m";
export const validChat: JsonObject = {
  model: validAlias,
  messages: [
    { role: "system", content: "x", name: "n" },
    { role: "developer", content: [{ type: "text", text: "x" }], name: "n" },
    {
      role: "user",
      content: [
        { type: "text", text: "x" },
        { type: "image_url", image_url: { url: "https://a.test/b.png", detail: "low" } },
        {
          type: "file",
          file: { filename: "x", file_data: "data:application/pdf;base64,JVBERi0=", file_id: "x" },
        },
        { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
      ],
      name: "n",
    },
    { role: "user", content: "x" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "x" },
        { type: "refusal", refusal: "x" },
      ],
      refusal: "x",
      name: "n",
      tool_calls: [
        { id: "1", type: "function", function: { name: "f", arguments: "{}" } },
        { id: "2", type: "custom", custom: { name: "c", input: "x" } },
      ],
    },
    { role: "tool", content: "x", tool_call_id: "1" },
    {
      role: "tool",
      content: [
        { type: "text", text: "x" },
        { type: "image_url", image_url: { url: "https://a.test/b.png", detail: "low" } },
      ],
      tool_call_id: "2",
    },
    {
      role: "assistant",
      content: null,
      reasoning_content: "x",
      reasoning: "x",
      reasoning_details: [],
    },
  ],
  stream: true,
  max_completion_tokens: 5,
  temperature: 1,
  top_p: 1,
  top_k: 1,
  min_p: 0,
  frequency_penalty: 0,
  presence_penalty: 0,
  stop: ["x"],
  seed: 1,
  n: 1,
  logit_bias: { "50256": -100 },
  user: "u",
  parallel_tool_calls: true,
  tools: [{ type: "function", function: { name: "f" } }],
  tool_choice: { type: "custom", custom: { name: "c" } },
  response_format: { type: "json_object" },
  reasoning_effort: "low",
  stream_options: { include_usage: true },
  metadata: { a: "b" },
  logprobs: true,
  top_logprobs: 5,
  session_id: "0199aaaa-0000-7000-8000-000000000000",
  store: null,
  service_tier: null,
};

/** All routes that take JSON, those whose schema depends on the alias once for each. */
export const jsonRoutes: Record<string, JsonRouteCase> = {
  chat: {
    schema: chatCompletionsSchema,
    bodies: [
      validChat,
      { model: validAlias, messages: [{ role: "user", content: "x" }], stop: "x", max_tokens: 5 },
    ],
    parse: (body) => parseChat(body, new RequestBody([Buffer.from(JSON.stringify(body))])),
  },
  embeddings: routeOf(
    embeddingsSchema,
    { model: validAlias, input: "x", encoding_format: "float", dimensions: 5 },
    { model: validAlias, input: ["x", "y"] },
  ),
  rerank: routeOf(rerankSchema, { model: validAlias, query: "q", documents: ["x"], top_n: 1 }),
  taxonomies: routeOf(taxonomyLaneSchema, {
    model: validAlias,
    input: ["x"],
    taxonomy: "2.1",
    both_versions: true,
  }),
  "one taxonomy": routeOf(classificationSchema({ model: "old" }, catalog, []), {
    model: validAlias,
    input: "x",
    taxonomy: "2.1",
    both_versions: true,
  }),
  entities: routeOf(entityLaneSchema, {
    model: validAlias,
    input: "x",
    types: ["x"],
    labels: ["x"],
  }),
  images: routeOf(imagesSchema, {
    model: validAlias,
    prompt: "x",
    n: 1,
    size: "512x512",
    response_format: "url",
  }),
  speech: routeOf(speechSchema, {
    model: validAlias,
    input: "x",
    voice: "v",
    response_format: "mp3",
    speed: 1,
  }),
  settlement: {
    schema: settlementRequestSchema,
    bodies: [{ requestIds: ["x"] }],
    parse: (body) => validate(settlementRequestSchema, body),
  },
};

export type Path = readonly (string | number)[];

/** Returns the paths of all values inside a value. */
export function memberPaths(value: unknown, base: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => {
    const path = [...base, key];
    return [path, ...memberPaths((value as Record<string | number, unknown>)[key], path)];
  });
}

export const absent = Symbol("absent");

/** Returns the body with another value at a path, or without it. */
export function changed(body: JsonObject, path: Path, value: unknown): JsonObject {
  const copy = structuredClone(body);
  let place = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) place = place[key] as typeof place;
  const last = path.at(-1) as string | number;
  if (value === absent) delete place[last];
  else place[last] = value;
  return copy;
}

/** Returns the error of a body; undefined if the route accepts it. */
export function errorOf({ parse }: JsonRouteCase, body: JsonObject): GatewayError | undefined {
  try {
    parse(body);
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}
