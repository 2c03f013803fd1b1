import type { ListPrices } from "@tollgate/list-prices/list-prices";
import { toAlias } from "../catalog/suggestion.ts";
import { baseUrlOf } from "./base-url.ts";
import { CatalogDraft, type DraftModel, type Imported, presentMembers } from "./catalog-draft.ts";
import { keyCommands } from "./key-command.ts";
import { assumedRegion, hasRegions } from "./kinds.ts";
import { findListedModel } from "./listed-model.ts";
import type { Deployment, LiteLlmConfig, LiteLlmKey } from "./litellm-config.ts";
import { importKeys } from "./litellm-keys.ts";
import { pricingOf } from "./litellm-prices.ts";
import { defaultVendor, type LiteLlmVendor, liteLlmVendors } from "./litellm-vendors.ts";

/** What a deployment without limits gets, as `catalog suggest` writes it. */
const contextTokens = 8_192;
const maxOutputTokens = 4_096;
const maxCharacters = 4_096;
const maxRetries = 5;

/** The route type of each mode of a model. A mode that is not here is not carried over. */
const routeTypes: Readonly<Record<string, string>> = {
  audio_speech: "speech",
  audio_transcription: "transcriptions",
  chat: "chat",
  embedding: "embeddings",
  image_generation: "images",
  rerank: "rerank",
  responses: "chat",
};

const carried = new Set(
  `model api_base api_key aws_region_name max_tokens rpm tpm weight max_retries api_version
  input_cost_per_token output_cost_per_token cache_read_input_token_cost
  cache_creation_input_token_cost output_cost_per_image input_cost_per_second
  input_cost_per_character input_cost_per_query`.split(/\s+/),
);

/** Sections of the configuration, and the settings of each that are carried over. */
const sections = {
  litellm_settings: ["fallbacks", "context_window_fallbacks", "num_retries"],
  router_settings: [
    "fallbacks",
    "context_window_fallbacks",
    "num_retries",
    "model_group_alias",
    "routing_strategy",
  ],
  general_settings: [],
} as const;

/**
 * Translates a configuration of LiteLLM's proxy, and the list of its keys. The deployments of a model
 * share its requests, and its fallbacks are the last slots of its chain. Models without a price have
 * the list price, or are left out by name.
 */
export function importLiteLlm(
  config: LiteLlmConfig,
  keys: readonly LiteLlmKey[],
  prices: ListPrices,
): Imported {
  const draft = new CatalogDraft();
  const retries =
    config.router_settings.num_retries ?? config.litellm_settings.num_retries ?? undefined;
  for (const deployment of config.model_list) addDeployment(draft, deployment, { prices, retries });
  addAliases(draft, config);
  addFallbacks(draft, config);
  noteSettings(draft, config);
  return draft.finish(keyCommands(importKeys(keys, draft)));
}

interface Context {
  prices: ListPrices;
  retries: number | undefined;
}

function addDeployment(draft: CatalogDraft, deployment: Deployment, context: Context): void {
  const { model_name: name, litellm_params: params } = deployment;
  const model = readModel(deployment, context.prices);
  if (typeof model === "string") {
    draft.note(`${name}: ${model}`);
    return;
  }
  const unknown = Object.keys(params).filter((key) => !carried.has(key));
  if (unknown.length > 0) draft.note(`${name}: litellm_params ${unknown.join(", ")}`);
  const provider = addProvider(draft, model, deployment);
  const { rpm, tpm, weight, max_retries: retries = context.retries ?? 0 } = params;
  draft.addSlot(toAlias(name), model.fields, {
    provider,
    model: model.id,
    tier: 1,
    ...presentMembers({
      weight: weight === undefined ? undefined : Math.min(1_000, Math.max(1, Math.round(weight))),
      requests_per_minute: rpm,
      tokens_per_minute: tpm,
      retries: retries === 0 ? undefined : Math.min(retries, maxRetries),
    }),
  });
}

/** A deployment's model in the terms of the catalog. */
interface ImportedModel {
  prefix: string;
  vendor: LiteLlmVendor;
  id: string;
  fields: DraftModel;
}

/** Returns a text where the model cannot be carried over, which says why. */
function readModel(deployment: Deployment, prices: ListPrices): ImportedModel | string {
  const { model_name: name, litellm_params: params, model_info: info } = deployment;
  const [prefix, id] = splitModel(params.model);
  const vendor = Object.hasOwn(liteLlmVendors, prefix) ? liteLlmVendors[prefix] : undefined;
  const routeType = routeTypes[info.mode ?? (/embed/i.test(id) ? "embedding" : "chat")];
  if (name.includes("*")) return "a wildcard; write an entry for each model";
  if (vendor === undefined) return `the provider ${prefix} is not carried over`;
  if (routeType === undefined) return `the mode ${info.mode} is not carried over`;
  const entry = findListedModel(vendor.listed, id, prices);
  const listed = entry?.route_type === routeType ? entry : undefined;
  const pricing = pricingOf(deployment, routeType, vendor) ?? listed?.pricing;
  if (pricing === undefined)
    return "has no price; set input_cost_per_token, or see catalog suggest";
  return { prefix, vendor, id, fields: fieldsOf(deployment, routeType, listed, pricing) };
}

function splitModel(text: string): [prefix: string, model: string] {
  const at = text.indexOf("/");
  if (at === -1) return [defaultVendor, text];
  const [prefix, model] = [text.slice(0, at), text.slice(at + 1)];
  // As in `bedrock/converse/…` and `azure/responses/…`, which name an API of the provider.
  return [prefix, model.replace(/^(converse|responses)\//, "")];
}

function addProvider(
  draft: CatalogDraft,
  { prefix, vendor }: ImportedModel,
  { model_name: name, litellm_params: params }: Deployment,
): string {
  const { api_key: key, aws_region_name: region } = params;
  const base = readVariable(params.api_base);
  if (base.variable !== undefined) {
    draft.note(`${name}: api_base is in ${base.variable}; set base_url_env of its provider`);
  }
  const { variable = vendor.api_key_env } = readVariable(key);
  if (key !== undefined && readVariable(key).variable === undefined) {
    draft.note(`${name}: its api_key is not copied; put it into ${variable ?? "a variable"}`);
  }
  if (hasRegions(vendor.kind) && region === undefined) {
    draft.note(`${name}: aws_region_name is not set; region is ${assumedRegion}`);
  }
  const { kind, base_url: defaultUrl } = vendor;
  return draft.addProvider({
    name: prefix,
    ...presentMembers({
      kind,
      base_url: base.text === undefined ? defaultUrl : baseUrlOf(base.text, vendor.path),
      region: hasRegions(kind) ? (region ?? assumedRegion) : undefined,
      api_key_env: variable,
    }),
  });
}

/** Reads a value that may be `os.environ/NAME`. */
function readVariable(value: string | undefined): { text?: string; variable?: string } {
  if (value === undefined) return {};
  const [, variable] = /^os\.environ\/(\w+)$/.exec(value) ?? [];
  return variable === undefined ? { text: value } : { variable };
}

function fieldsOf(
  { litellm_params: params, model_info: info }: Deployment,
  routeType: string,
  listed: { context_tokens?: number; reasoning?: string } | undefined,
  pricing: object,
): DraftModel {
  const window = info.max_input_tokens ?? listed?.context_tokens ?? info.max_tokens;
  const own: Readonly<Record<string, DraftModel>> = {
    chat: presentMembers({
      context_tokens: window ?? contextTokens,
      max_output_tokens: info.max_output_tokens ?? params.max_tokens ?? maxOutputTokens,
      vision: info.supports_vision === true ? true : undefined,
      reasoning: listed?.reasoning,
    }),
    embeddings: presentMembers({ context_tokens: window }),
    speech: { max_characters: maxCharacters },
    transcriptions: { language: "auto" },
  };
  return { route_type: routeType, ...own[routeType], pricing };
}

function addAliases(
  draft: CatalogDraft,
  { router_settings: { model_group_alias } }: LiteLlmConfig,
) {
  for (const [alias, target] of Object.entries(model_group_alias ?? {})) {
    const name = typeof target === "string" ? target : (target as { model?: string } | null)?.model;
    const fields = draft.fieldsOf(toAlias(name ?? ""));
    if (fields === undefined) {
      draft.note(`model_group_alias ${alias}: there is no model ${name}`);
      continue;
    }
    for (const slot of draft.chainOf(toAlias(name ?? ""))) {
      draft.addSlot(toAlias(alias), fields, slot);
    }
  }
}

/** A fallback keeps its own price. */
function addFallbacks(draft: CatalogDraft, config: LiteLlmConfig): void {
  const { router_settings: router, litellm_settings: settings } = config;
  for (const list of [router, settings]) {
    for (const [name, targets] of (list.fallbacks ?? []).flatMap(Object.entries) as [
      string,
      string[],
    ][]) {
      addFallback(draft, name, targets);
    }
    if (list.context_window_fallbacks !== undefined) {
      draft.note("context_window_fallbacks: set fallback_on and context_tokens of slots");
    }
  }
}

function addFallback(draft: CatalogDraft, name: string, targets: readonly string[]): void {
  const fields = draft.fieldsOf(toAlias(name));
  if (fields === undefined) {
    draft.note(`fallbacks: there is no model ${name}`);
    return;
  }
  for (const [index, target] of targets.entries()) {
    const slots = draft.chainOf(toAlias(target)).filter(({ tier = 1 }) => tier === 1);
    if (slots.length === 0) draft.note(`fallbacks of ${name}: there is no model ${target}`);
    const pricing = draft.fieldsOf(toAlias(target))?.pricing;
    for (const slot of slots) {
      draft.addSlot(toAlias(name), fields, { ...slot, pricing, tier: index + 2 });
    }
  }
}

function noteSettings(draft: CatalogDraft, config: LiteLlmConfig): void {
  for (const [section, known] of Object.entries(sections)) {
    const settings = Object.keys(config[section as keyof typeof sections]);
    const others = settings.filter((name) => !(known as readonly string[]).includes(name));
    if (others.length > 0) draft.note(`${section}: ${others.join(", ")}`);
  }
  const strategy = config.router_settings.routing_strategy;
  if (strategy !== undefined && strategy !== "simple-shuffle") {
    draft.note(`routing_strategy ${strategy}: set balance of each model`);
  }
  const others = Object.keys(config).filter((key) => key !== "model_list" && !(key in sections));
  if (others.length > 0) draft.note(`sections: ${others.join(", ")}`);
}
