import { envelopeName, envelopeSchema, errorAnswers, errorTable } from "./error-answers.ts";
import { type HeaderDoc, type HeaderName, headers, referToHeaders } from "./headers.ts";
import type { Access, AnswerDoc, ContentDoc, JsonBody, Operation, Parameter } from "./operation.ts";
import { tags } from "./operation.ts";
import { type Method, paths } from "./paths.ts";
import {
  answerSchema,
  bodySchema,
  formSchema,
  type JsonSchema,
  type NamedSchemas,
  referTo,
} from "./schema.ts";

/** An OpenAPI 3.1 document, as far as this one goes. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string; license: JsonSchema };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Partial<Record<Method, OperationObject>>>;
  components: {
    schemas: Record<string, JsonSchema>;
    headers: Record<string, HeaderDoc>;
    securitySchemes: Record<string, JsonSchema>;
  };
  "x-error-codes": typeof errorTable;
}

export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters?: readonly Parameter[];
  requestBody?: { required: true; content: Record<string, MediaTypeObject> };
  responses: Record<string, ResponseObject>;
  [extension: `x-${string}`]: JsonSchema;
}

/** An operation with the address that it is asked at. */
export interface AddressedOperation {
  method: string;
  path: string;
  operation: OperationObject;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, JsonSchema>;
  content?: Record<string, MediaTypeObject>;
}

export interface MediaTypeObject {
  schema: JsonSchema;
  example?: JsonSchema;
  /** What the data of each server-sent event is, in JSON, until `[DONE]`. */
  "x-event-schema"?: JsonSchema;
}

const license = { name: "Apache License 2.0", identifier: "Apache-2.0" };
/** The interface's own version, which the path prefix `/v1` stands for. */
const version = "1.0.0";

const description =
  "One address and one key in front of many model providers. Requests are paid from a prepaid " +
  "wallet that never goes below nothing, and answers tell what they cost. A field that is not " +
  "known is refused by its name. Every error has the same form; programs look at its `code`. " +
  "Fields may be added to answers: pass over those that you do not know. A known address asked " +
  "by another method answers 405, and an unknown one 404.\n\n" +
  "In this document `x-event-schema` is the form of the data of each server-sent event, and " +
  "`x-websocket` tells the frames of a WebSocket.";

const securitySchemes = {
  apiKey: { type: "http", scheme: "bearer", description: "A key, `sk-tollgate-` in front." },
  settlementKey: {
    type: "http",
    scheme: "bearer",
    description: "A key that was made for the settlement channel.",
  },
};

const security: Record<Access, Record<string, string[]>[]> = {
  key: [{ apiKey: [] }],
  "optional key": [{}, { apiKey: [] }],
  "settlement key": [{ settlementKey: [] }],
  open: [],
};

/** Makes the document of the whole interface from what the routes say of themselves. */
export function createDocument(): OpenApiDocument {
  const schemas: Schemas = { [envelopeName]: envelopeSchema };
  const items = Object.entries(paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => [
      method,
      operationObject(operation, schemas),
    ]);
    return [path, Object.fromEntries(operations)];
  });
  return {
    openapi: "3.1.1",
    info: { title: "Tollgate", version, description, license },
    servers: [{ url: "/" }],
    tags: Object.entries(tags).map(([name, about]) => ({ name, description: about })),
    paths: Object.fromEntries(items) as OpenApiDocument["paths"],
    components: { schemas, headers, securitySchemes },
    "x-error-codes": errorTable,
  };
}

type Schemas = Record<string, JsonSchema>;

function operationObject(operation: Operation, schemas: Schemas): OperationObject {
  const { id, tag, summary, about, access, parameters, answers, errors, extensions } = operation;
  const ids: HeaderName[] = access === "open" ? ["x-request-id"] : ["x-request-id", "Inference-Id"];
  const everyHeader = [...ids, ...(operation.headers ?? [])];
  const good = Object.entries(answers).map(([status, answer]) => [
    status,
    responseObject(answer, everyHeader, schemas),
  ]);
  const responses: OperationObject["responses"] = {
    ...Object.fromEntries(good),
    ...errorAnswers(access, errors ?? [], everyHeader),
  };
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(about === undefined ? {} : { description: about }),
    security: security[access],
    ...(parameters === undefined ? {} : { parameters }),
    ...requestBody(operation, schemas),
    responses: withRelayed(responses, operation),
    ...extensions,
  };
}

function requestBody({ body }: Operation, schemas: Schemas): Pick<OperationObject, "requestBody"> {
  if (body === undefined) return {};
  if (body.kind === "form") {
    schemas[body.name] = formSchema(body.form);
    const content = { "multipart/form-data": { schema: referTo(body.name) } };
    return { requestBody: { required: true, content } };
  }
  schemas[body.name] = bodyOf(body, schemas);
  const content = { "application/json": { schema: referTo(body.name), example: body.example } };
  return { requestBody: { required: true, content } };
}

function bodyOf({ schemas: variants }: JsonBody, schemas: Schemas): JsonSchema {
  const written = variants.map((variant) => keepNamed(bodySchema(variant), schemas));
  return written.length === 1 ? (written[0] as JsonSchema) : { anyOf: written };
}

function responseObject(
  { about, headers: own = [], content }: AnswerDoc,
  everyHeader: readonly HeaderName[],
  schemas: Schemas,
): ResponseObject {
  const types = Object.entries(content ?? {}).map(([type, one]) => [
    type,
    mediaTypeObject(one, schemas),
  ]);
  return {
    description: about,
    headers: referToHeaders([...everyHeader, ...own]),
    ...(content === undefined ? {} : { content: Object.fromEntries(types) }),
  };
}

function mediaTypeObject({ name, schema, event }: ContentDoc, schemas: Schemas): MediaTypeObject {
  const written = keepNamed(answerSchema(schema), schemas);
  if (name !== undefined) schemas[name] ??= written;
  const whole = { schema: name === undefined ? written : referTo(name) };
  if (event === undefined) return whole;
  schemas[event.name] ??= keepNamed(answerSchema(event.schema), schemas);
  return { ...whole, "x-event-schema": { anyOf: [referTo(event.name), referTo(envelopeName)] } };
}

function keepNamed({ schema, named }: NamedSchemas, schemas: Schemas): JsonSchema {
  Object.assign(schemas, named);
  return schema;
}

/** A provider's own 502 may have any form, also that of JSON. */
function withRelayed(
  responses: OperationObject["responses"],
  { relayed }: Operation,
): OperationObject["responses"] {
  const failure = responses[502];
  if (relayed === undefined || failure === undefined) return responses;
  const any = { schema: {} };
  const envelope = failure.content?.["application/json"]?.schema ?? {};
  return {
    ...responses,
    502: {
      description: `${failure.description}\n\n${relayed}`,
      headers: { ...failure.headers, ...referToHeaders(["x-should-retry"]) },
      content: { "application/json": { schema: { anyOf: [envelope, {}] } }, "*/*": any },
    },
  };
}
