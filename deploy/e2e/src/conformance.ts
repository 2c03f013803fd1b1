import {
  createDocument,
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationObject,
  type ResponseObject,
} from "@tollgate/edge/openapi/document";
import type { JsonSchema } from "@tollgate/edge/openapi/json-schema";
import { routes } from "@tollgate/edge/routes";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { expect } from "vitest";
import type { Answer } from "./request.ts";

/** What is checked of one request. */
export interface Asked {
  method: string;
  url: string;
  /** JSON or a form; undefined for what is neither, or cannot be read. */
  body: unknown;
}

const gateways = new Set<string>();

/** From now on, requests to this address are held to the document by `send`. */
export function holdToDocument(url: string): void {
  gateways.add(new URL(url).origin);
}

/**
 * Checks that the document tells of an answer: its status, its headers, its content type and its
 * body, without a field too many; and that it takes the request, where the gateway did.
 */
export function expectDocumented(asked: Asked, answer: Answer): void {
  const { origin, pathname, search } = new URL(asked.url);
  if (!gateways.has(origin)) return;
  const method = asked.method === "HEAD" ? "get" : asked.method.toLowerCase();
  const place = placeOf(pathname, method);
  if (place === undefined) {
    expect([404, 405], `${asked.method} ${pathname} is not documented`).toContain(answer.status);
    return;
  }
  const label = `${method} ${place.path} answered ${answer.status}: ${answer.text.slice(0, 500)}`;
  const { operation, pointer } = place;
  const status = operation.responses[answer.status] === undefined ? "2XX" : String(answer.status);
  const response = operation.responses[status];
  expect(response, label).toBeDefined();
  if (response === undefined) return;
  expectHeaders(response, answer.headers, label);
  if (asked.method !== "HEAD") {
    expectContent(response, `${pointer}/responses/${status}`, answer, label);
  }
  if (answer.status < 300) expectTaken(place, asked.body);
  else if (answer.status === 400 && search === "") expectRefused(place, asked.body, answer);
}

interface Place {
  path: string;
  operation: OperationObject;
  /** Where it lies in the document. */
  pointer: string;
}

const document = closed(JSON.parse(JSON.stringify(createDocument(routes)))) as OpenApiDocument;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, "openapi.json");

/** Literal paths come before those with a part that varies, which may hold slashes. */
function placeOf(pathname: string, method: string): Place | undefined {
  const path = Object.keys(document.paths)
    .sort((left, right) => left.split("{").length - right.split("{").length)
    .find((template) => new RegExp(`^${template.replace(/\{\w+\}/, ".+")}$`).test(pathname));
  const item: Partial<Record<string, OperationObject>> = document.paths[path ?? ""] ?? {};
  const operation = item[method];
  if (path === undefined || operation === undefined) return undefined;
  return { path, operation, pointer: `/paths/${escaped(path)}/${method}` };
}

/** Headers with a meaning of their own: all are documented, and those that are promised came. */
const ours = /^(x-(?!accel|content)|inference-|idempotency-|retry-|www-authenticate)/;

function expectHeaders({ headers = {} }: ResponseObject, came: Headers, label: string): void {
  const names = new Map(Object.keys(headers).map((name) => [name.toLowerCase(), name]));
  for (const [name, value] of came) {
    if (!ours.test(name)) continue;
    const documented = document.components.headers[names.get(name) ?? ""];
    expect(documented, `${name} of ${label}`).toBeDefined();
    const { type } = documented?.schema ?? {};
    const read = type === "integer" ? Number(value) : value;
    const check = ajv.compile(documented?.schema ?? {});
    expect(check(read), `${name}: ${value} of ${label}`).toBe(true);
  }
  for (const [name, documented] of names) {
    if (document.components.headers[documented]?.required) {
      expect(came.has(name), `${documented} is promised by ${label}`).toBe(true);
    }
  }
}

function expectContent(
  { content }: ResponseObject,
  pointer: string,
  answer: Answer,
  label: string,
): void {
  if (content === undefined) {
    expect(answer.text, label).toBe("");
    return;
  }
  const type = (answer.headers.get("content-type") ?? "").split(";")[0] ?? "";
  const range = [type, type.replace(/\/.*/, "/*"), "*/*"].find((one) => one in content);
  expect(range, `${type} of ${label}`).toBeDefined();
  const media: MediaTypeObject | undefined = content[range ?? ""];
  const place = `${pointer}/content/${escaped(range ?? "")}`;
  if (type === "application/json") expectValid(`${place}/schema`, answer.body, label);
  if (media?.["x-event-schema"] === undefined) return;
  for (const event of answer.text.split("\n\n")) {
    if (!event.startsWith("data: ") || event === "data: [DONE]") continue;
    expectValid(`${place}/x-event-schema`, JSON.parse(event.slice("data: ".length)), label);
  }
}

function expectTaken(place: Place, body: unknown): void {
  const taken = bodyOf(place, body);
  if (taken !== undefined) {
    expectValid(taken.pointer, taken.value, `a body that ${place.path} took`);
  }
}

/** What is wrong with a body only beside what a schema can know of. */
const beyondSchema = [
  /are the same limit|must be equal to types/,
  /must be 1 in a conversation/,
  /does not take images|^The conversation holds images/,
  /takes at most \d+ characters|: \S+ takes (mp3|opus|aac|flac|wav|pcm)/,
  /cannot be chosen|transcribes whole files only/,
  /must be (print|archival) for /,
  /Idempotency-Key must be/,
  // Which of a classification's two bodies is meant depends on its alias.
  /^(types|labels) is not a parameter|^types: is required without labels|^taxonomy: must be/,
];

/**
 * A body that was refused for its fields, and not for a query, is none of those that the document
 * takes.
 */
function expectRefused(place: Place, body: unknown, answer: Answer): void {
  const refused = bodyOf(place, body);
  const { error } = answer.body as { error: { code: string; message: string; param?: string } };
  if (refused === undefined) return;
  if (error.code !== "invalid_param" && error.code !== "unknown_param") return;
  if (beyondSchema.some((pattern) => pattern.test(error.message))) return;
  const label = `${place.path} refused what its schema takes: ${answer.text}`;
  expect(validator(refused.pointer)(refused.value), label).toBe(false);
}

/** A body as its schema sees it, and where the schema lies; undefined where either is missing. */
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

/** A form as an object: a file is a string where a file belongs, and nothing elsewhere. */
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

/** Checks a value against the schema at a place in the document. */
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
 * Here an object has no fields but those that it is said to have; clients are told to pass over.
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
