import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Ajv, type AnySchemaObject, type ValidateFunction } from "ajv";

/** The packages with the schemas of Kubernetes and of one extension each, by API group. */
const packages = {
  core: "kubernetes-models",
  "cert-manager.io": "@kubernetes-models/cert-manager",
  "gateway.networking.k8s.io": "@kubernetes-models/gateway-api",
  "keda.sh": "@kubernetes-models/keda",
  "monitoring.coreos.com": "@kubernetes-models/prometheus-operator",
} as const;

export interface ManifestValidator {
  /** Resolves with the problems of a manifest; empty when the API server would accept it. */
  problems(manifest: { apiVersion: string; kind: string }): Promise<string[]>;
}

/**
 * Creates a validator that checks manifests as strictly as `kubectl apply --validate=strict`:
 * unknown fields are a problem.
 */
export function createManifestValidator(): ManifestValidator {
  const ajv = new Ajv({
    allErrors: true,
    strict: false,
    // Only the API server checks formats such as quantities and base64.
    validateFormats: false,
    loadSchema: async (id) => strict(await readShared(id.replace(/#$/, ""))),
  });
  const validators = new Map<string, Promise<ValidateFunction>>();

  async function compile(apiVersion: string, kind: string): Promise<ValidateFunction> {
    return ajv.compileAsync(strict(await readKind(apiVersion, kind)));
  }

  return {
    async problems(manifest) {
      const { apiVersion, kind } = manifest;
      const name = `${apiVersion}/${kind}`;
      const validator = validators.get(name) ?? compile(apiVersion, kind);
      validators.set(name, validator);
      const validate = await validator;
      if (validate(manifest)) return [];
      return (validate.errors ?? []).filter(isRelevant).map(({ instancePath, message, params }) => {
        return `${kind} ${instancePath}: ${message} ${JSON.stringify(params)}`;
      });
    },
  };
}

/**
 * Returns whether an error is worth reporting. An optional field is `oneOf` its schema and null, so
 * one error in its schema causes two more.
 */
function isRelevant({ keyword, params }: { keyword: string; params: object }): boolean {
  return keyword !== "oneOf" && !("type" in params && params.type === "null");
}

async function readKind(apiVersion: string, kind: string): Promise<AnySchemaObject> {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const name = group in packages ? packages[group as keyof typeof packages] : packages.core;
  const source = await readFile(join(folderOf(name), group, version, `${kind}.mjs`), "utf8");
  const [, id] = /setSchema\(\w+, "([^"]+)"/.exec(source) ?? [];
  return id === undefined ? schemaIn(source) : readShared(id);
}

/** Reads a shared schema: `io.k8s.api.core.v1.PodSpec` is in `IoK8sApiCoreV1PodSpec.mjs`. */
async function readShared(id: string): Promise<AnySchemaObject> {
  const owner = id.startsWith("io.k8s.apimachinery.")
    ? "@kubernetes-models/apimachinery"
    : packages.core;
  const file = id.replace(/(?:^|[.-])(\w)/g, (_, letter: string) => letter.toUpperCase());
  const source = await readFile(join(folderOf(owner), "_schemas", `${file}.mjs`), "utf8");
  return schemaIn(source);
}

function folderOf(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(name));
}

/** Extracts the schema from a module's source, which contains it as JSON. */
function schemaIn(source: string): AnySchemaObject {
  const [, json] = /^const schema = (\{\n[\s\S]*?\n\});$/m.exec(source) ?? [];
  if (json === undefined) throw new Error(`no schema in ${source.slice(0, 200)}`);
  return JSON.parse(json) as AnySchemaObject;
}

/** Returns the schema with unknown fields forbidden in all objects. */
function strict<Schema>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(strict) as Schema;
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, strict(value)]),
  );
  const isOpen =
    copy.type === "object" && "properties" in copy && !("additionalProperties" in copy);
  return (isOpen ? { ...copy, additionalProperties: false } : copy) as Schema;
}
