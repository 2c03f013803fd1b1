import type { ErrorCode } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import type { Form } from "@tollgate/http/form-fields";
import type { z } from "zod";
import type { HeaderName } from "./headers.ts";
import type { JsonSchema } from "./schema.ts";

/** The groups of operations, in the order in which they are shown. */
export const tags = {
  Chat: "Chat completions, whole or streamed, with or without a stored conversation.",
  Conversations: "What was said in conversations that the gateway stores.",
  Embeddings: "Texts as vectors.",
  Audio: "Speech from text, and text from speech.",
  Documents: "Ranking, classification, and reading of scanned documents.",
  Images: "Images from text.",
  Models: "What can be called, and what it costs.",
  Account: "The wallet behind a key.",
  Settlement: "What a settlement channel's requests cost.",
  Gateway: "The gateway itself.",
} as const;

export type Tag = keyof typeof tags;

/** What a route promises its clients; it stands beside the route, and makes its documentation. */
export interface Operation {
  /** Unique among all: client generators name their methods by it. */
  id: string;
  tag: Tag;
  summary: string;
  about?: string;
  access: Access;
  parameters?: readonly Parameter[];
  body?: JsonBody | FormBody;
  /** Of its answers of every status. */
  headers?: readonly HeaderName[];
  /** By status, `2XX` where it is the provider's to choose. */
  answers: Readonly<Record<string, AnswerDoc>>;
  /** What it refuses and how it fails, besides what `access` brings with it. */
  errors?: readonly ErrorCode[];
  /** The content of a 502 that is not the envelope's. */
  relayed?: string;
  /** What OpenAPI has no words for, by names that start with `x-`. */
  extensions?: Readonly<Record<`x-${string}`, JsonSchema>>;
}

/** Which key an operation asks for. */
export type Access = "key" | "optional key" | "settlement key" | "open";

export interface Parameter {
  in: "path" | "query" | "header";
  name: string;
  description: string;
  required?: true;
  schema: JsonSchema;
}

export interface JsonBody {
  kind: "json";
  name: string;
  /** The schema that the route validates with; several where it depends on the alias. */
  schemas: readonly [z.ZodObject, ...z.ZodObject[]];
  /** A body for the demo catalog, ready to be sent. */
  example: JsonObject;
}

export interface FormBody {
  kind: "form";
  name: string;
  form: Form;
}

export interface AnswerDoc {
  about: string;
  headers?: readonly HeaderName[];
  /** By media type; none where there is no body. */
  content?: Readonly<Record<string, ContentDoc>>;
}

export interface ContentDoc {
  /** What its schema is called in the document. */
  name?: string;
  schema: z.ZodType;
  /** Of a stream of server-sent events: what the data of each is, in JSON, until `[DONE]`. */
  event?: { name: string; schema: z.ZodType };
}

/** A successful answer in JSON. */
export function jsonAnswer(name: string, schema: z.ZodType, about: string): AnswerDoc {
  return { about, content: { "application/json": { name, schema } } };
}

/** The `model` that a read names in its query. */
export function modelParameter(routeType: string): Parameter {
  const description = `The alias of a model whose \`route_type\` is \`${routeType}\`.`;
  return {
    in: "query",
    name: "model",
    description,
    required: true,
    schema: { type: "string", minLength: 1 },
  };
}
