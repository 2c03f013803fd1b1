import {
  createDocument,
  type MediaTypeObject,
  type OpenApiDocument,
  type OpenApiResponse,
  type OperationObject,
} from "@tollgate/edge/openapi/document";
import type { JsonSchema } from "@tollgate/edge/openapi/json-schema";
import { routes } from "@tollgate/edge/routes";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { expect } from "vitest";
import type { HttpResponse } from "./http-response.ts";

/** A request, as far as it is checked. */
export interface CheckedRequest {
  method: string;
  url: string;
  /** JSON or a form; undefined for any other body. */
  body: unknown;
}

const gateways = new Set<string>();

/** Makes `send` check the requests to this URL against the document. */
export function checkAgainstDocument(url: string): void {
  gateways.add(new URL(url).origin);
}

/**
 * Checks that the document describes a response: its status, headers, content type and body,
 * without undocumented fields; and that it accepts a request which the gateway accepted.
 */
export function expectDocumented(request: CheckedRequest, response: HttpResponse): void {
  const { origin, pathname, search } = new URL(request.url);
  if (!gateways.has(origin)) return;
  const method = request.method === "HEAD" ? "get" : request.method.toLowerCase();
  const place = placeOf(pathname, method);
  if (place === undefined) {
    expect([404, 405], `${request.method} ${pathname} is not documented`).toContain(
      response.status,
    );
    return;
  }
  const label = `${method} ${place.path} returned ${response.status}: ${response.text.slice(0, 500)}`;
  const { operation, pointer } = place;
  const status =
    operation.responses[response.status] === undefined ? "2XX" : String(response.status);
  const documented = operation.responses[status];
  expect(documented, label).toBeDefined();
  if (documented === undefined) return;
  expectHeaders(documented, response.headers, label);
  if (request.method !== "HEAD") {
    expectContent(documented, `${pointer}/responses/${status}`, response, label);
  }
  if (response.status < 300) expectAccepted(place, request.body);
  else if (response.status === 400 && search === "") expectRefused(place, request.body, response);
}

interface Place {
  path: string;
  operation: OperationObject;
  /** Its JSON pointer in the document. */
  pointer: string;
}

const document = closed(JSON.parse(JSON.stringify(createDocument(routes)))) as OpenApiDocument;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, "openapi.json");

/** Literal paths come before those with a parameter, which may contain slashes. */
function placeOf(pathname: string, method: string): Place | undefined {
  const path = Object.keys(document.paths)
    .sort((left, right) => left.split("{").length - right.split("{").length)
    .find((template) => new RegExp(`^${template.replace(/\{\w+\}/, ".+")}$`).test(pathname));
  const item: Partial<Record<string, OperationObject>> = document.paths[path ?? ""] ?? {};
  const operation = item[method];
  if (path === undefined || operation === undefined) return undefined;
  return { path, operation, pointer: `/paths/${escaped(path)}/${method}` };
}

/** Checks that every header of the API is documented, and every required one is present. */
const apiHeaders = /^(x-(?!accel|content)|inference-|idempotency-|retry-|www-authenticate)/;

function expectHeaders({ headers = {} }: OpenApiResponse, received: Headers, label: string): void {
  const names = new Map(Object.keys(headers).map((name) => [name.toLowerCase(), name]));
  for (const [name, value] of received) {
    if (!apiHeaders.test(name)) continue;
    const documented = document.components.headers[names.get(name) ?? ""];
    expect(documented, `${name} of ${label}`).toBeDefined();
    const { type } = documented?.schema ?? {};
    const read = type === "integer" ? Number(value) : value;
    const check = ajv.compile(documented?.schema ?? {});
    expect(check(read), `${name}: ${value} of ${label}`).toBe(true);
  }
  for (const [name, documented] of names) {
    if (document.components.headers[documented]?.required) {
      expect(received.has(name), `${documented} is promised by ${label}`).toBe(true);
    }
  }
}

function expectContent(
  { content }: OpenApiResponse,
  pointer: string,
  response: HttpResponse,
  label: string,
): void {
  if (content === undefined) {
    expect(response.text, label).toBe("");
    return;
  }
  const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
  const range = [type, type.replace(/\/.*/, "/*"), "*/*"].find((one) => one in content);
  expect(range, `${type} of ${label}`).toBeDefined();
  const media: MediaTypeObject | undefined = content[range ?? ""];
  const place = `${pointer}/content/${escaped(range ?? "")}`;
  if (type === "application/json") expectValid(`${place}/schema`, response.body, label);
  if (media?.["x-event-schema"] === undefined) return;
  for (const event of response.text.split("\n\n")) {
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (data === undefined || data === "[DONE]") continue;
    expectValid(`${place}/x-event-schema`, JSON.parse(data), label);
  }
}

function expectAccepted(place: Place, body: unknown): void {
  const accepted = bodyOf(place, body);
  if (accepted !== undefined) {
    expectValid(accepted.pointer, accepted.value, `a body that ${place.path} accepted`);
  }
}

const wirePaths = /^\/v1\/(chat\/completions|messages|messages\/count_tokens|responses)$/;

/** Reasons to refuse a body that a schema cannot express. */
const beyondSchema = [
  // The lists of what the agents' wires take are in the documentation.
  /: the model does not allow \w+\.$|is not a (type|value) of this route\.$/,
  /token arrays are not supported/,
  /both are the same limit|must be equal to types/,
  /must be 1 in a conversation/,
  // What the providers of the alias take.
  /is not supported by a provider of this model: |for this model\.$|is not supported by this model: /,
  // A translated request must have the schema.
  /^response_format\.json_schema\.schema must be an object/,
  // Turns that say nothing are left out.
  /^messages must have a message besides turns/,
  // Tools that a provider runs have no name.
  /^tools\[.*\.name is required/,
  /does not take (images|pdf|audio)|the conversation holds images|in a conversation\.$/,
  /must have at most \d+ characters for |^response_format must be .* for /,
  // The catalog says which hosts and sizes a model takes.
  /or a URL whose host is public\.$|^size must be (one of|at most) /,
  /does not support streaming/,
  /must be "(print|archival)" for /,
  /Idempotency-Key must be/,
  // Only some providers take the other fields of OpenAI's form.
  /^timestamp_granularities\[\] is not a parameter/,
  // The alias decides which of a classification's two bodies applies.
  /^(types|labels) is not a parameter|^types is required without labels|^taxonomy must be/,
];

/**
 * Checks that a body which was refused for its fields is not valid in the document.
 */
function expectRefused(place: Place, body: unknown, response: HttpResponse): void {
  const refused = bodyOf(place, body);
  const { error } = response.body as { error: { code: string; message: string; param?: string } };
  if (refused === undefined) return;
  if (error.code !== "invalid_param" && error.code !== "unknown_param") return;
  // The alias decides which further members a request may have.
  if (error.code === "unknown_param" && wirePaths.test(place.path)) return;
  if (beyondSchema.some((pattern) => pattern.test(error.message))) return;
  if (isForwarded(place.path, body)) return;
  const label = `${place.path} refused what its schema accepts: ${response.text}`;
  expect(validator(refused.pointer)(refused.value), label).toBe(false);
}

/** Returns whether a provider may have refused the client's own bytes, in its words. */
function isForwarded(path: string, body: unknown): boolean {
  const { model } = body as { model?: unknown };
  if (typeof model !== "string") return false;
  if (path.startsWith("/v1/messages"))
    return /^(test-(claude|allows-claude)|exchange-anthropic)/.test(model);
  return (
    path === "/v1/responses" && /^(test-(gpt|allows-openai)|exchange-openai-responses)/.test(model)
  );
}

/** Returns a body for its schema and the pointer to it; undefined when either is missing. */
function bodyOf({ operation, pointer }: Place, body: unknown) {
  const [entry] = Object.entries(operation.requestBody?.content ?? {});
  if (entry === undefined || body === undefined) return undefined;
  const [type, { schema }] = entry;
  if (body instanceof FormData !== (type === "multipart/form-data")) return undefined;
  const name = String(schema.$ref).split("/").at(-1) ?? "";
  return {
    pointer: `${pointer}/requestBody/content/${escaped(type)}/schema`,
    value:
      body instanceof FormData ? valuesOf(body, document.components.schemas[name] ?? {}) : body,
  };
}

/** Returns a form as an object: a file becomes a string in a file field, else is left out. */
function valuesOf(form: FormData, { properties }: JsonSchema): object {
  const fields = properties as Record<string, JsonSchema>;
  const entries = [...new Set(form.keys())].map((name) => {
    const { type, items = fields[name] } = fields[name] ?? {};
    const isFile = (items as JsonSchema | undefined)?.format === "binary";
    const values = form
      .getAll(name)
      .map((value) => ((typeof value === "string") === isFile ? null : String(value)));
    return [name, type === "array" || values.length > 1 ? values : values[0]];
  });
  return Object.fromEntries(entries);
}

/** Checks a value against the schema at a JSON pointer in the document. */
export function expectValid(pointer: string, value: unknown, label: string): void {
  const check = validator(pointer);
  const valid = check(value);
  expect(valid, `${label}\n${JSON.stringify(check.errors)}`).toBe(true);
}

const validators = new Map<string, ValidateFunction>();

function validator(pointer: string): ValidateFunction {
  const known = validators.get(pointer);
  if (known !== undefined) return known;
  const made = ajv.compile({ $ref: `openapi.json#${encodeURI(pointer)}` });
  validators.set(pointer, made);
  return made;
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/**
 * Closes every object schema: the gateway sends no undocumented fields, though clients must ignore
 * them.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, closed(inner)] as const);
  const object = Object.fromEntries(entries);
  const isOpen = object.type === "object" && "properties" in object;
  return isOpen && !("additionalProperties" in object)
    ? { ...object, additionalProperties: false }
    : object;
}
