import { Validator } from "@seriousme/openapi-schema-validator";
import { createLog } from "@tollgate/core/log";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { createRouter } from "../app.ts";
import { routes } from "../routes/index.ts";
import { createDocument } from "./document.ts";
import type { JsonSchema } from "./json-schema.ts";

const methods = ["get", "post", "put", "patch", "delete"] as const;

describe("the OpenAPI document", () => {
  const document = createDocument(routes);
  const plain = JSON.parse(JSON.stringify(document)) as typeof document;
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );

  test("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    expect(await validator.validate({ ...structuredClone(plain) })).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  test("describes every route of the app, and no other", () => {
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      registeredRoutes().sort(),
    );
  });

  test("has only valid schemas, whose references resolve", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    ajv.addSchema(plain, "openapi.json");
    for (const name of Object.keys(plain.components.schemas)) {
      const pointer = `openapi.json#/components/schemas/${name}`;
      expect(() => ajv.compile({ $ref: pointer }), name).not.toThrow();
    }
    const references = [...JSON.stringify(plain).matchAll(/"\$ref":"#\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(50);
    for (const [, pointer = ""] of references) {
      const found = pointer
        .split("/")
        .reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], plain);
      expect(found, pointer).toBeDefined();
    }
  });

  test("has a type and a description for every field of every request", () => {
    const requests = Object.entries(plain.components.schemas).filter(([name]) =>
      /(Request|Form)$/.test(name),
    );
    expect(requests.length).toBe(12);
    for (const [name, schema] of requests) {
      const variants = (schema.anyOf ?? [schema]) as { properties?: Record<string, object> }[];
      for (const { properties = {} } of variants) {
        for (const [field, value] of Object.entries(properties)) {
          const label = `${name}.${field}`;
          expect(Object.keys(value), label).toContain("description");
          const typeKeywords = ["type", "enum", "const", "anyOf", "oneOf", "$ref"];
          expect(
            Object.keys(value).some((key) => typeKeywords.includes(key)),
            label,
          ).toBe(true);
        }
      }
    }
  });

  test("has a valid example of every JSON request", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(plain, "openapi.json");
    const posts = operations.filter(({ operation }) => operation.requestBody !== undefined);
    const examples = posts.flatMap(({ operation }) => {
      const { schema, example } = operation.requestBody?.content["application/json"] ?? {};
      return schema === undefined ? [] : [{ schema, example }];
    });
    expect(examples.length).toBe(10);
    for (const { schema, example } of examples) {
      const check = ajv.compile({ $ref: `openapi.json${schema.$ref as string}` });
      expect([check(example), check.errors]).toEqual([true, null]);
    }
  });

  test("has a valid example of every form", () => {
    const forms = operations.flatMap(({ operation }) => {
      const { schema, example } = operation.requestBody?.content["multipart/form-data"] ?? {};
      return schema === undefined ? [] : [{ schema, example: example as Record<string, string> }];
    });
    expect(forms).toHaveLength(3);
    for (const { schema, example } of forms) {
      const { properties, required } = resolve(schema) as {
        properties: Record<string, JsonSchema>;
        required: string[];
      };
      expect(Object.keys(example)).toEqual(expect.arrayContaining(required));
      for (const [name, value] of Object.entries(example)) {
        const { type, items = properties[name] } = properties[name] ?? {};
        expect([name, type], `${name} is a field`).not.toEqual([name, undefined]);
        const isFile = (items as JsonSchema).format === "binary";
        expect(value.startsWith("@"), `${name} names a file`).toBe(isFile);
      }
    }
  });

  test("has a valid example of every successful response, without other members than its schema's", () => {
    const expectValid = closedCheck();
    let checked = 0;
    for (const { path, method, operation } of operations) {
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        if (!status.startsWith("2")) continue;
        for (const [type, media] of Object.entries(content)) {
          if (!["application/json", "text/event-stream"].includes(type)) continue;
          const label = `${method} ${path} ${type}`;
          checked += 1;
          expect(media.example, label).toBeDefined();
          if (type === "application/json") {
            expectValid(media.schema, media.example, label);
            continue;
          }
          const events = dataOf(String(media.example));
          expect(events.length, label).toBeGreaterThan(2);
          for (const event of events) {
            expectValid(media["x-event-schema"] ?? {}, JSON.parse(event), label);
          }
        }
      }
    }
    expect(checked).toBe(26);
  });

  test("has a valid example of every error of a route, in each form that it is sent in", () => {
    const expectValid = closedCheck();
    const { examples } = plain.components;
    const used = new Set<string>();
    for (const { path, method, operation } of operations) {
      for (const [status, { content = {}, description }] of Object.entries(operation.responses)) {
        if (!/^[45]/.test(status)) continue;
        const label = `${method} ${path} ${status}`;
        const media = content["application/json"];
        const codes = [...description.matchAll(/^`(\w+)`: /gm)].map(([, code]) => code);
        expect(codes.length, label).toBeGreaterThan(0);
        const names = Object.keys(media?.examples ?? {});
        const forms = new Set(names.map((name) => name.replace(/\w+$/, "")));
        const hasVariant = path.startsWith("/v1/models");
        expect(forms.size, label).toBe(hasVariant ? 2 : 1);
        // Without the header of Anthropic's API, every query parameter is unknown.
        const expected = [...forms]
          .flatMap(toNames(codes))
          .filter((name) => !(hasVariant && name === "invalid_param"));
        expect(names.sort(), label).toEqual(expected.sort());
        for (const [name, { $ref }] of Object.entries(media?.examples ?? {})) {
          const component = String($ref).replace("#/components/examples/", "");
          const example = examples[component]?.value as { type?: string; error: { code: string } };
          used.add(component);
          expectValid(media?.schema ?? {}, example, `${label} ${component}`);
          expect(example.error.code, label).toBe(name.split(".").at(-1));
          expect(example.type, label).toBe(name.startsWith("MessagesError.") ? "error" : undefined);
        }
      }
    }
    expect(Object.keys(examples).sort()).toEqual([...used].sort());
  });

  test("names a field of the route in each example of a field that is missing", () => {
    for (const { path, operation } of operations) {
      const refs = operation.responses[400]?.content?.["application/json"]?.examples ?? {};
      const isDefault = Object.values(refs).some(
        ({ $ref }) => $ref === "#/components/examples/invalid_param",
      );
      if (!isDefault) continue;
      const schemas = Object.values(operation.requestBody?.content ?? {}).map(({ schema }) =>
        resolve(schema),
      );
      const ofBody = schemas.flatMap((schema) => requiredOf(schema ?? {}));
      const ofQuery = (operation.parameters ?? []).filter(({ required }) => required === true);
      expect([...ofBody, ...ofQuery.map(({ name }) => name)], path).toContain("model");
    }
  });

  /** Returns a check of values against schemas of the document without other members than theirs. */
  function closedCheck(): (schema: JsonSchema, value: unknown, label: string) => void {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const schemas = closedSchema(plain.components.schemas);
    ajv.addSchema({ ...plain, components: { ...plain.components, schemas } }, "openapi.json");
    return (schema, value, label) => {
      const local = JSON.stringify(schema).replaceAll('"#/', '"openapi.json#/');
      const check = ajv.compile(closedSchema(JSON.parse(local)) as JsonSchema);
      const sent: unknown = JSON.parse(JSON.stringify(value));
      expect([check(sent), check.errors], label).toEqual([true, null]);
    };
  }

  function resolve({ $ref }: JsonSchema): JsonSchema | undefined {
    return plain.components.schemas[String($ref).split("/").at(-1) ?? ""];
  }

  test.each<[string, string, object]>([
    ["ChatRequest", "n", { minimum: 1, maximum: 128 }],
    ["ChatRequest", "temperature", { minimum: 0, maximum: 2 }],
    ["ChatRequest", "top_p", { minimum: 0, maximum: 1 }],
    ["ChatRequest", "min_p", { minimum: 0, maximum: 1 }],
    ["ChatRequest", "top_k", { minimum: -1 }],
    ["ChatRequest", "frequency_penalty", { minimum: -2, maximum: 2 }],
    ["ChatRequest", "presence_penalty", { minimum: -2, maximum: 2 }],
    ["ChatRequest", "top_logprobs", { minimum: 0, maximum: 20 }],
    ["ChatRequest", "max_tokens", { minimum: 1 }],
    ["ChatRequest", "max_completion_tokens", { minimum: 1 }],
    ["ChatRequest", "seed", { minimum: -(2 ** 63), maximum: 2 ** 64 }],
    ["ChatRequest", "messages", { minItems: 1 }],
    ["SpeechRequest", "speed", { minimum: 0.25, maximum: 4 }],
    ["ImagesRequest", "n", { minimum: 1, maximum: 10 }],
    ["EmbeddingsRequest", "dimensions", { minimum: 1 }],
    ["RerankRequest", "top_n", { minimum: 1 }],
    ["RerankRequest", "documents", { minItems: 1 }],
    ["SettlementRequest", "requestIds", { maxItems: 10_000 }],
  ])("has the bounds of %s.%s", (name, field, bounds) => {
    const schema = plain.components.schemas[name] as { anyOf?: unknown[] };
    const { properties } = (schema.anyOf?.[0] ?? schema) as { properties: Record<string, object> };
    expect(properties[field]).toMatchObject(bounds);
  });

  test("has the bounds that a schema cannot express", () => {
    const { properties } = plain.components.schemas.ChatRequest as {
      properties: Record<string, { description: string }>;
    };
    expect(properties.n?.description).toContain("Must be 1 in a conversation");
    for (const path of ["/v1/audio/transcriptions", "/v1/ocr", "/v1/ocr/jobs"]) {
      expect(plain.paths[path]?.post?.responses[413]?.description).toMatch(/ 25 MiB.* 26 MiB/);
    }
    expect(plain.paths["/v1/rerank"]?.post?.responses[400]?.description).toContain("32 MiB");
    expect(plain.components.schemas.OcrForm?.properties).toMatchObject({
      language: { maxLength: 64 * 1024 },
    });
  });

  test("has unique operation ids", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

/** The routes of the real router, as `get /v1/models/{alias}`. */
function registeredRoutes(): string[] {
  const served = routes.map((route) => ({ ...route, handler: async () => {} }));
  const { router } = createRouter(served, createLog("silent"));
  return router.stack.flatMap(({ route }) =>
    methods
      .filter((method) => route?.stack.some((layer) => layer.method === method))
      .map((method) => `${method} ${(route?.path ?? "").replace(/\*(\w+)/g, "{$1}")}`),
  );
}

/** Returns the names of examples of errors with these codes in a form. */
function toNames(codes: readonly (string | undefined)[]): (form: string) => string[] {
  return (form) => codes.map((code) => `${form}${code}`);
}

function requiredOf({ required = [], anyOf = [] }: JsonSchema): string[] {
  return [...(required as string[]), ...(anyOf as JsonSchema[]).flatMap(requiredOf)];
}

/** The data of each server-sent event before `[DONE]`. */
function dataOf(stream: string): string[] {
  const data = [...stream.matchAll(/^data: (.*)$/gm)].map(([, text = ""]) => text);
  return data.filter((text) => text !== "[DONE]");
}

/** Closes every object schema: an example has no members that are not described. */
function closedSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedSchema);
  if (typeof value !== "object" || value === null) return value;
  const object = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, closedSchema(inner)]),
  );
  const isOpen = object.type === "object" && "properties" in object;
  return isOpen && !("additionalProperties" in object)
    ? { ...object, additionalProperties: false }
    : object;
}
