import type { ErrorCode, GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import type { Form } from "@tollgate/http/form-fields";
import type { z } from "zod";
import type { HeaderName } from "./headers.ts";
import type { JsonSchema } from "./json-schema.ts";

/** The groups of operations, in the order of the reference. */
export const tags = {
  Chat: "Create chat completions: complete or streamed, with or without a stored conversation.",
  Agents:
    "The same models in the wires that agents speak: Anthropic's Messages API and OpenAI's Responses API.",
  Conversations: "Read and delete the conversations that the gateway stores.",
  Embeddings: "Convert texts to vectors.",
  Audio: "Convert text to speech, and speech to text.",
  Documents: "Rank, classify, and read documents.",
  Images: "Generate images from text.",
  Models: "List the available models and their prices.",
  Account: "Read the wallet of an account.",
  Settlement: "Look up the cost of a settlement channel's requests.",
  Gateway: "Read the gateway's health and its API description.",
} as const;

export type Tag = keyof typeof tags;

/** Describes a route to clients, besides what follows from its rules. */
export interface Operation {
  /** Unique among all operations: client generators name their methods by it. */
  id: string;
  tag: Tag;
  summary: string;
  description?: string;
  parameters?: readonly Parameter[];
  body?: JsonBody | FormBody;
  /** Headers of every response. */
  headers?: readonly HeaderName[];
  /** Successful responses by status. `2XX` if the provider chooses the status. */
  responses: Readonly<Record<string, ResponseDoc>>;
  /** Error codes of the route, besides those of its body and its rules. */
  errors?: readonly ErrorCode[];
  /** Those of its errors that are sent in the `variantForm` of the route alone. */
  variantErrors?: readonly ErrorCode[];
  /** Examples of its errors that differ from those of other routes: `exampleErrors`. */
  ownErrors?: Readonly<Partial<Record<ErrorCode, GatewayError>>>;
  /** Describes a 502 response that is not the error envelope. */
  relayed?: string;
  /** Extensions of OpenAPI. Their names start with `x-`. */
  extensions?: Readonly<Record<`x-${string}`, JsonSchema | boolean>>;
}

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
  /** The schema that the route validates with. Several if it depends on the alias. */
  schemas: readonly [z.ZodObject, ...z.ZodObject[]];
  /** A valid body for the demo catalog. */
  example: JsonObject;
}

export interface FormBody {
  kind: "form";
  name: string;
  form: Form;
  /** The fields of a valid form for the demo catalog. A file is named as `curl` names it: `@speech.wav`. */
  example: Readonly<Record<string, string>>;
  /** Keywords of the schema for what depends on several fields. */
  rules?: JsonSchema;
}

export interface ResponseDoc {
  description: string;
  headers?: readonly HeaderName[];
  /** By media type. Undefined if the response has no body. */
  content?: Readonly<Record<string, ContentDoc>>;
}

export interface ContentDoc {
  /** The name of the schema in the document. */
  name?: string;
  schema: z.ZodType;
  /** A response that the demo catalog gives to the example of the request: a value, or an event stream's text. */
  example?: unknown;
  /** The JSON data of each server-sent event before `[DONE]`. */
  event?: { name: string; schema: z.ZodType };
}

/** Returns the description of a JSON response, with an example of it. */
export function jsonResponseDoc(
  name: string,
  schema: z.ZodType,
  description: string,
  example: unknown,
): ResponseDoc {
  return { description, content: { "application/json": { name, schema, example } } };
}
