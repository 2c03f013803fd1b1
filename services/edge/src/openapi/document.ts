import manifest from "../../package.json" with { type: "json" };
import type { Auth } from "../auth/authenticate.ts";
import type { RouteRules } from "../routes/route-rules.ts";
import type { ErrorExamples } from "./error-examples.ts";
import { envelopeName, envelopeSchema, errorResponses, errorTable } from "./error-responses.ts";
import { type HeaderDoc, type HeaderName, headerRefs, headers } from "./headers.ts";
import {
  bodySchema,
  formSchema,
  type JsonSchema,
  type NamedSchemas,
  schemaOfResponse,
  schemaRef,
} from "./json-schema.ts";
import {
  type ContentDoc,
  type JsonBody,
  type Operation,
  type Parameter,
  type ResponseDoc,
  tags,
} from "./operation.ts";
import { ruledOperation } from "./ruled-operation.ts";

/** The parts of a route that the document describes. */
export interface DocumentedRoute extends RouteRules {
  method: string;
  path: string;
  operation: Operation;
}

/** The parts of OpenAPI 3.1 that this document uses. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string; license: JsonSchema };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  /** By path, and then by method in lower case. */
  paths: Record<string, Record<string, OperationObject>>;
  components: {
    schemas: Record<string, JsonSchema>;
    examples: ErrorExamples;
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
  responses: Record<string, OpenApiResponse>;
  [extension: `x-${string}`]: JsonSchema | boolean;
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, JsonSchema>;
  content?: Record<string, MediaTypeObject>;
}

export interface MediaTypeObject {
  schema: JsonSchema;
  example?: unknown;
  /** References to examples of the document, by the code of the error. */
  examples?: Record<string, JsonSchema>;
  /** The JSON data of each server-sent event before `[DONE]`. */
  "x-event-schema"?: JsonSchema;
}

const license = { name: "Apache License 2.0", identifier: "Apache-2.0" };

const apiDescription = `One endpoint and one API key for many model providers. Requests are paid from
a prepaid wallet, and responses report their cost.

Authenticate with \`Authorization: Bearer sk-tollgate-…\`. Unknown fields are rejected by name.
Ignore response fields that you do not know, since new ones may be added. A known path with another
method returns 405, and an unknown path returns 404.

In this document, \`x-event-schema\` is the schema of the data of each server-sent event, and
\`x-websocket\` describes the frames of a WebSocket.

## Errors

Every error has the same envelope. Programs should check its \`code\`.

${errorTable.map(({ code, status, meaning }) => `- \`${code}\` (${status}): ${meaning}`).join("\n")}
`;

const securitySchemes = {
  apiKey: { type: "http", scheme: "bearer", description: "An API key: `sk-tollgate-…`." },
  apiKeyHeader: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "The same API key in the header of Anthropic's clients.",
  },
  settlementKey: {
    type: "http",
    scheme: "bearer",
    description: "An API key of a settlement channel.",
  },
};

const security: Record<Auth, Record<string, string[]>[]> = {
  key: [{ apiKey: [] }],
  "key in either header": [{ apiKey: [] }, { apiKeyHeader: [] }],
  "optional key": [{}, { apiKey: [] }],
  "settlement key": [{ settlementKey: [] }],
  none: [],
};

/** Creates the OpenAPI document of some routes. */
export function createDocument(routes: readonly DocumentedRoute[]): OpenApiDocument {
  const schemas: Schemas = { [envelopeName]: envelopeSchema };
  const examples: ErrorExamples = {};
  const paths: OpenApiDocument["paths"] = {};
  for (const route of routes) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operationObject(route, schemas, examples),
    };
  }
  return {
    openapi: "3.1.1",
    info: { title: "Tollgate", version: manifest.version, description: apiDescription, license },
    servers: [{ url: "/" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas, examples, headers, securitySchemes },
    "x-error-codes": errorTable,
  };
}

type Schemas = Record<string, JsonSchema>;

function operationObject(
  route: DocumentedRoute,
  schemas: Schemas,
  examples: ErrorExamples,
): OperationObject {
  const { auth, errorForm, variantForm } = route;
  const operation = ruledOperation(route.operation, route);
  const { id, tag, summary, parameters, extensions } = operation;
  const idHeaders: HeaderName[] =
    auth === "none" ? ["x-request-id"] : ["x-request-id", "Inference-Id"];
  for (const form of [errorForm, variantForm]) {
    if (form !== undefined) schemas[form.name] = form.schema;
  }
  const commonHeaders = [...idHeaders, ...(operation.headers ?? [])];
  const successes = Object.entries(operation.responses).map(([status, response]) => [
    status,
    responseObject(response, commonHeaders, schemas, errorForm?.name),
  ]);
  const responses: OperationObject["responses"] = {
    ...Object.fromEntries(successes),
    ...errorResponses(route, operation, commonHeaders, examples),
  };
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    security: security[auth],
    ...(parameters === undefined ? {} : { parameters }),
    ...requestBody(operation, schemas),
    responses: withRelayed(responses, operation),
    ...extensions,
  };
}

function requestBody({ body }: Operation, schemas: Schemas): Pick<OperationObject, "requestBody"> {
  if (body === undefined) return {};
  if (body.kind === "form") {
    schemas[body.name] = { ...formSchema(body.form), ...body.rules };
    const content = {
      "multipart/form-data": { schema: schemaRef(body.name), example: body.example },
    };
    return { requestBody: { required: true, content } };
  }
  schemas[body.name] = jsonBodySchema(body, schemas);
  const content = { "application/json": { schema: schemaRef(body.name), example: body.example } };
  return { requestBody: { required: true, content } };
}

function jsonBodySchema({ schemas: variants }: JsonBody, schemas: Schemas): JsonSchema {
  const converted = variants.map((variant) => addNamed(bodySchema(variant), schemas));
  return converted.length === 1 ? (converted[0] as JsonSchema) : { anyOf: converted };
}

function responseObject(
  { description, headers: own = [], content }: ResponseDoc,
  commonHeaders: readonly HeaderName[],
  schemas: Schemas,
  errorName = envelopeName,
): OpenApiResponse {
  const types = Object.entries(content ?? {}).map(([type, one]) => [
    type,
    mediaTypeObject(one, schemas, errorName),
  ]);
  return {
    description,
    headers: headerRefs([...commonHeaders, ...own]),
    ...(content === undefined ? {} : { content: Object.fromEntries(types) }),
  };
}

function mediaTypeObject(
  { name, schema, event, example }: ContentDoc,
  schemas: Schemas,
  errorName: string,
): MediaTypeObject {
  const converted = addNamed(schemaOfResponse(schema), schemas);
  if (name !== undefined) schemas[name] ??= converted;
  const media: MediaTypeObject = {
    schema: name === undefined ? converted : schemaRef(name),
    ...(example === undefined ? {} : { example }),
  };
  if (event === undefined) return media;
  schemas[event.name] ??= addNamed(schemaOfResponse(event.schema), schemas);
  return {
    ...media,
    "x-event-schema": { anyOf: [schemaRef(event.name), schemaRef(errorName)] },
  };
}

/** Adds the schemas that a schema references to those of the document, and returns the schema. */
function addNamed({ schema, named }: NamedSchemas, schemas: Schemas): JsonSchema {
  Object.assign(schemas, named);
  return schema;
}

/** Adds the provider's own 502 response, which may have any content type, JSON included. */
function withRelayed(
  responses: OperationObject["responses"],
  { relayed }: Operation,
): OperationObject["responses"] {
  const failure = responses[502];
  if (relayed === undefined || failure === undefined) return responses;
  const any = { schema: {} };
  const json = failure.content?.["application/json"];
  return {
    ...responses,
    502: {
      ...failure,
      description: `${failure.description}\n\n${relayed}`,
      content: {
        "application/json": { ...json, schema: { anyOf: [json?.schema ?? {}, {}] } },
        "*/*": any,
      },
    },
  };
}
