import { StartError } from "@tollgate/core/errors";
import { describeIssue } from "@tollgate/core/schema-errors";
import { catalogPath, toCatalogError } from "./catalog-errors.ts";
import { CatalogProblems } from "./catalog-problems.ts";
import { readCatalogText } from "./catalog-text.ts";
import { checkChain } from "./chain-checks.ts";
import { connectionOf } from "./connection-schema.ts";
import { providerIdentityOf } from "./identity/identity-entry.ts";
import { imageSizesOf } from "./image-sizes.ts";
import { keysOf, withKeySlots } from "./key-pool.ts";
import {
  type Catalog,
  type Model,
  type Provider,
  type Slot,
  speechFormats,
  taxonomies,
  type UnitType,
} from "./model.ts";
import { plansOf } from "./plans/plan-entries.ts";
import { toPricing } from "./price-entries.ts";
import { type ProviderKind, type ProviderKinds, routeTypesOf } from "./provider-kind.ts";
import type { RouteType } from "./route-types.ts";
import {
  type CatalogFile,
  catalogFileSchema,
  type ModelEntry,
  type ProviderEntry,
} from "./schema.ts";
import { modelSharingOf, slotSharingOf } from "./sharing-entries.ts";

/**
 * Parses the text of a catalog file, whose providers are of these kinds. Throws a StartError for a text that is
 * not YAML, and a CatalogError with all errors in the file, each with its path and the alias of its model:
 * `models[2] (acme-large).pricing.input: must be …`. What models and plans say of one another is checked once
 * all fields are valid.
 */
export function parseCatalog(text: string, kinds: ProviderKinds): Catalog {
  return toCheckedCatalog(readCatalogText(text), kinds);
}

/** Returns the catalog of a parsed file. Throws as `parseCatalog` does. */
export function toCheckedCatalog(file: unknown, kinds: ProviderKinds): Catalog {
  const parsed = catalogFileSchema(kinds).safeParse(file, { error: describeIssue });
  if (!parsed.success) throw toCatalogError(parsed.error.issues, file);
  return toCatalog(parsed.data, kinds);
}

function toCatalog(file: CatalogFile, kinds: ProviderKinds): Catalog {
  const providers = new Map<string, Provider>();
  for (const [name, entry] of Object.entries(file.providers)) {
    const kind = kindNamed(entry.kind, kinds);
    providers.set(name, {
      name,
      kind,
      baseUrl: baseUrlOf(entry, kind)?.replace(/\/+$/, ""),
      baseUrlEnv: entry.base_url_env,
      ...credentialOf(entry),
      region: entry.region,
      ...(entry.private_urls ? { takesPrivateUrls: true } : {}),
      ...(entry.continuous_usage ? { continuousUsage: true } : {}),
      ...(takesForms(entry, kind) ? { takesTranscriptionForms: true } : {}),
      ...(entry.responses === undefined ? {} : { responses: entry.responses }),
      ...connectionOf(entry),
      ...timeoutsOf(entry),
    });
  }
  const models = modelsOf(file, providers);
  const { requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute } =
    file.limits;
  const plans = plansOf(file, models);
  return { providers, models, plans, limits: { requestsPerMinute, tokensPerMinute } };
}

/** Returns the models of a file. Throws a CatalogError with an error of each that is not valid. */
function modelsOf(file: CatalogFile, providers: ReadonlyMap<string, Provider>) {
  const models = new Map<string, Model>();
  const aliases = new Set<string>();
  const problems = new CatalogProblems();
  for (const [index, entry] of file.models.entries()) {
    const path = catalogPath(["models", index], file);
    const model = problems.attempt(() => {
      if (aliases.has(entry.alias)) {
        throw new StartError(`${path}.alias: ${entry.alias} is used twice`);
      }
      return toModel(entry, path, providers);
    });
    aliases.add(entry.alias);
    if (model !== undefined) models.set(entry.alias, model);
  }
  problems.throwAny();
  return models;
}

/** Returns the names of the secret or variable of a provider's key, or of its keys, or its identity. */
function credentialOf({ api_key_env, secret, keys, identity }: ProviderEntry) {
  if (keys !== undefined) return keysOf(keys);
  if (identity !== undefined)
    return { apiKeyEnv: undefined, identity: providerIdentityOf(identity) };
  return { apiKeyEnv: api_key_env, ...(secret === undefined ? {} : { secret }) };
}

const defaultTimeoutSeconds = 120;

function timeoutsOf(entry: ProviderEntry) {
  const { connect_seconds, first_byte_seconds, timeout_seconds, total_seconds } = entry;
  return {
    ...(connect_seconds === undefined ? {} : { connectMs: connect_seconds * 1_000 }),
    ...(first_byte_seconds === undefined ? {} : { firstByteMs: first_byte_seconds * 1_000 }),
    timeoutMs: (timeout_seconds ?? defaultTimeoutSeconds) * 1_000,
    ...(total_seconds === undefined ? {} : { totalMs: total_seconds * 1_000 }),
    isDefaultTimeout: timeout_seconds === undefined,
  };
}

/** The schema admits the names of kinds only. */
function kindNamed(name: string, kinds: ProviderKinds): ProviderKind {
  const kind = kinds[name];
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}

function takesForms(
  { transcriptions }: ProviderEntry,
  { transcriptionForms }: ProviderKind,
): boolean {
  return transcriptionForms === "always" || transcriptions === "multipart";
}

function baseUrlOf(
  { base_url, base_url_env, region, project }: ProviderEntry,
  { defaultBaseUrl, regions }: ProviderKind,
): string | undefined {
  if (base_url !== undefined || base_url_env !== undefined) return base_url;
  return addressIn(region, defaultBaseUrl, regions)?.replace("{project}", project ?? "");
}

/** Returns the provider as a route calls it: some kinds have an address of their own for it. */
function providerOf(provider: Provider, type: RouteType): Provider {
  const { kind, region, baseUrl } = provider;
  const own = kind.routeBaseUrls[type];
  if (own === undefined) return provider;
  if (baseUrl !== addressIn(region, kind.defaultBaseUrl, kind.regions)) return provider;
  return { ...provider, baseUrl: addressIn(region, own, kind.regions) };
}

function addressIn(
  region: string | undefined,
  address: string | undefined,
  regions: ProviderKind["regions"],
): string | undefined {
  if (region === undefined || regions === undefined) return address;
  return address?.replace("{region}", region).replace("{domain}", regions.domainOf(region));
}

function toModel(entry: ModelEntry, path: string, providers: ReadonlyMap<string, Provider>): Model {
  const unitType = unitTypeOf(entry);
  const pricing = toPricing(entry.pricing, unitType);
  const isMeasured = "unreported" in entry && entry.unreported === "measured";
  const chain = entry.chain.map((slot, index): Slot => {
    const provider = providers.get(slot.provider);
    if (provider === undefined) {
      const field = `${path}.chain[${index}].provider`;
      throw new StartError(
        `${field}: must be the name of a provider, and "${slot.provider}" is none`,
      );
    }
    const defaultPath = defaultPathOf(
      provider,
      entry.route_type,
      `${path}.chain[${index}].provider`,
    );
    return withKeySlots({
      id: `${slot.provider}/${slot.model}`,
      provider: providerOf(provider, entry.route_type),
      upstreamModel: slot.model,
      path: slot.path ?? pathOfModel(defaultPath, slot.model),
      jobsPath: slot.jobs_path,
      voicesPath: slot.voices_path,
      stream: streamOf(slot),
      maxTokensField: slot.max_tokens_field,
      inputType: slot.input_type,
      ...slotSharingOf(slot, entry),
      measuresUnreported: isMeasured || measuresUnreported(provider, entry.route_type),
      pricing: slot.pricing === undefined ? pricing : toPricing(slot.pricing, unitType),
      ...(slot.cost === undefined ? {} : { providerPricing: toPricing(slot.cost, unitType) }),
    });
  });
  checkChain(entry, chain, path);
  const model: Model = {
    alias: entry.alias,
    routeType: entry.route_type,
    visibility: entry.visibility,
    created: entry.created,
    ownedBy: entry.owned_by,
    contextTokens: "context_tokens" in entry ? entry.context_tokens : undefined,
    maxOutputTokens: "max_output_tokens" in entry ? entry.max_output_tokens : undefined,
    vision: "vision" in entry && entry.vision,
    ...inputsOf(entry, chain, path),
    imageTokens: "image_tokens" in entry ? entry.image_tokens : undefined,
    pageTokens: "page_tokens" in entry ? entry.page_tokens : undefined,
    audioTokensPerSecond:
      "audio_tokens_per_second" in entry ? entry.audio_tokens_per_second : undefined,
    reasoning: "reasoning" in entry ? entry.reasoning : undefined,
    passes: new Set("passes" in entry ? entry.passes : []),
    allows: new Set("allows" in entry ? entry.allows : []),
    takesTokens: "token_input" in entry && entry.token_input,
    ...classificationOf(entry, path),
    ...audioOf(entry),
    ...ocrOf(entry),
    unitType,
    pricing,
    chain,
    ...modelSharingOf(entry),
  };
  return { ...model, imageSizes: imageSizesOf(entry, model, path) };
}

function measuresUnreported({ kind, takesTranscriptionForms }: Provider, type: RouteType): boolean {
  const takesForms = type === "transcriptions" && takesTranscriptionForms === true;
  return takesForms || kind.measuresUnreported;
}

/** Throws where none of the slots has providers of a kind that takes an input. */
function inputsOf(entry: ModelEntry, chain: readonly Slot[], path: string): Pick<Model, "inputs"> {
  if (!("inputs" in entry) || entry.inputs === undefined) return {};
  for (const [index, input] of entry.inputs.entries()) {
    if (chain.some(({ provider }) => provider.kind.chatInputs.has(input))) continue;
    const problem = `no provider of this model is of a kind that takes ${input}`;
    throw new StartError(`${path}.inputs[${index}]: ${problem}`);
  }
  return { inputs: new Set(entry.inputs) };
}

function streamOf({ stream_url, stream_path }: ModelEntry["chain"][number]): Slot["stream"] {
  if (stream_url !== undefined) return { url: stream_url };
  return stream_path === undefined ? undefined : { path: stream_path };
}

function audioOf(entry: ModelEntry): Pick<Model, "speech" | "transcription"> {
  if (entry.route_type === "transcriptions") return { transcription: { language: entry.language } };
  if (entry.route_type !== "speech") return {};
  const formats = entry.response_formats ?? speechFormats;
  return { speech: { maxCharacters: entry.max_characters, formats } };
}

function ocrOf(entry: ModelEntry): Pick<Model, "ocr"> {
  if (entry.route_type !== "ocr") return {};
  return { ocr: { lane: entry.lane, jobHoldMs: Math.ceil(entry.job_hold_hours * hourMs) } };
}

function classificationOf(entry: ModelEntry, path: string): Pick<Model, "classification"> {
  if (entry.route_type !== "classification") return {};
  if (entry.lane === "taxonomy") {
    return { classification: { lane: entry.lane, taxonomies: entry.taxonomies ?? taxonomies } };
  }
  if (entry.taxonomies === undefined) return { classification: { lane: entry.lane } };
  throw new StartError(`${path}.taxonomies: must not be set in the entities lane`);
}

function unitTypeOf(entry: ModelEntry): UnitType {
  if (entry.route_type === "classification" && entry.lane === "entities") return "searches";
  if (entry.route_type === "transcriptions" && "output" in entry.pricing) return "tokens";
  return unitTypes[entry.route_type];
}

const unitTypes: Record<RouteType, UnitType> = {
  chat: "tokens",
  embeddings: "tokens",
  speech: "chars",
  transcriptions: "audio_seconds",
  rerank: "searches",
  ocr: "pages",
  classification: "pages",
  images: "images",
};

const hourMs = 60 * 60 * 1_000;

function pathOfModel(path: string | ((model: string) => string), model: string): string {
  return typeof path === "string"
    ? path.replace("{model}", encodeURIComponent(model))
    : path(model);
}

/** Throws where the provider's kind does not serve the route type. `field` names the provider. */
function defaultPathOf({ name, kind }: Provider, type: RouteType, field: string) {
  const path = kind.paths[type];
  if (path !== undefined) return path;
  const served = routeTypesOf(kind).join(", ");
  const problem = `"${name}" is of the kind ${kind.name}, which serves ${served}`;
  throw new StartError(`${field}: must be of a kind that serves ${type}, and ${problem}`);
}
