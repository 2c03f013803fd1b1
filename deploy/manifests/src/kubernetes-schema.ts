import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Ajv, type AnySchemaObject, type ValidateFunction } from "ajv";

/** Kubernetes's own kinds are in the first; the others hold the kinds of one extension each. */
const packages = {
  core: "kubernetes-models",
  "gateway.networking.k8s.io": "@kubernetes-models/gateway-api",
  "keda.sh": "@kubernetes-models/keda",
  "monitoring.coreos.com": "@kubernetes-models/prometheus-operator",
} as const;

export interface ManifestValidator {
  /** What is wrong with a manifest, by path; nothing when the API server would take it. */
  problems(manifest: { apiVersion: string; kind: string }): Promise<string[]>;
}

/**
 * Checks manifests against the schemas of the Kubernetes API, as strictly as `kubectl apply
 * --validate=strict` does: a field that the schema does not name is a problem.
 */
export function createManifestValidator(): ManifestValidator {
  const ajv = new Ajv({
    allErrors: true,
    strict: false,
    // Quantities, base64 and so on are left to the API server.
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
      return (validate.errors ?? []).filter(isTelling).map(({ instancePath, message, params }) => {
        return `${kind} ${instancePath}: ${message} ${JSON.stringify(params)}`;
      });
    },
  };
}

/**
 * An optional field is `oneOf` its schema and null, which fails twice more when the schema fails.
 */
function isTelling({ keyword, params }: { keyword: string; params: object }): boolean {
  return keyword !== "oneOf" && !("type" in params && params.type === "null");
}

async function readKind(apiVersion: string, kind: string): Promise<AnySchemaObject> {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const name = group in packages ? packages[group as keyof typeof packages] : packages.core;
  const source = await readFile(join(folderOf(name), group, version, `${kind}.mjs`), "utf8");
  const [, id] = /setSchema\(\w+, "([^"]+)"/.exec(source) ?? [];
  return id === undefined ? schemaIn(source) : readShared(id);
}

/** `io.k8s.api.core.v1.PodSpec` lies in `_schemas/IoK8sApiCoreV1PodSpec.mjs`. */
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

/** The schema that a module holds: it is written there as JSON. */
function schemaIn(source: string): AnySchemaObject {
  const [, json] = /^const schema = (\{\n[\s\S]*?\n\});$/m.exec(source) ?? [];
  if (json === undefined) throw new Error(`no schema in ${source.slice(0, 200)}`);
  return JSON.parse(json) as AnySchemaObject;
}

/** The same schema, in which an object has no fields but those that are named. */
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
