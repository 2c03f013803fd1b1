import type { Price } from "@tollgate/core/money";
import type { ChatInput } from "./chat-inputs.ts";
import type { IdentitySettings } from "./identity/identity.ts";
import { allowsModel, type Visibility } from "./model-policy.ts";
import type { ProviderKey } from "./provider-key.ts";
import type { ProviderKind } from "./provider-kind.ts";
import type { RouteType } from "./route-types.ts";
import type { Balance, SlotSharing } from "./slot-sharing.ts";

/** The versions of the taxonomy that a classification alias may support. */
export const taxonomies = ["2.1", "2.2", "3.1"] as const;
export type Taxonomy = (typeof taxonomies)[number];

/** What a classification alias does: it assigns the labels of a taxonomy, or extracts entities. */
export type ClassificationTask =
  | { lane: "taxonomy"; taxonomies: readonly Taxonomy[] }
  | { lane: "entities" };

/** The audio formats of speech responses. */
export const speechFormats = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const;
export type SpeechFormat = (typeof speechFormats)[number];

export const ocrLanes = ["print", "archival"] as const;
export type OcrLane = (typeof ocrLanes)[number];

export const unitTypes = [
  "tokens",
  "chars",
  "audio_seconds",
  "searches",
  "pages",
  "images",
] as const;

export type UnitType = (typeof unitTypes)[number];

/** A model of the catalog: the alias that clients use, and the slots that serve it. */
export interface Model {
  alias: string;
  routeType: RouteType;
  /**
   * Only public aliases are listed. An unlisted one is served to keys whose policy names it, and an
   * internal one to none.
   */
  visibility: Visibility;
  /** Unix seconds. */
  created: number;
  ownedBy: string;
  contextTokens: number | undefined;
  /** The limit of output tokens for chat requests that set none. */
  maxOutputTokens: number | undefined;
  vision: boolean;
  /** On chat aliases: what messages may have besides text and images. */
  inputs?: ReadonlySet<ChatInput>;
  /** The most tokens that the provider counts for one image; undefined where the catalog sets none. */
  imageTokens?: number | undefined;
  /** The same for a page of a document, and for a second of audio; the latter on transcriptions, too. */
  pageTokens?: number | undefined;
  audioTokensPerSecond?: number | undefined;
  /** On chat aliases: whether the text of reasoning is sent; undefined where the catalog does not say. */
  reasoning?: "hidden" | "shown" | undefined;
  /** On chat aliases: members of a request, besides those of the API, that the slots take. */
  passes: ReadonlySet<string>;
  /**
   * On chat aliases: what the agents' wires take besides what costs only tokens. The names of switches,
   * `beta:NAME` and `member:NAME`.
   */
  allows: ReadonlySet<string>;
  /** On embeddings aliases: whether inputs may be arrays of token ids. */
  takesTokens: boolean;
  /** On speech aliases only. `maxCharacters` limits the input of one call. */
  speech?: { maxCharacters: number; formats: readonly SpeechFormat[] };
  /** On transcription aliases only. `required`: the request must name the language. */
  transcription?: { language: "required" | "auto" };
  /** On OCR aliases only: the kind of documents that they read, and how long a job keeps its hold. */
  ocr?: { lane: OcrLane; jobHoldMs: number };
  /**
   * On image aliases whose sizes the catalog names: each size, with the model as it is priced for it.
   */
  imageSizes?: ReadonlyMap<string, Model> | undefined;
  /** On classification aliases only. */
  classification?: ClassificationTask;
  unitType: UnitType;
  /** The plan whose prices these are; undefined for the list prices. See `plan.ts`. */
  plan?: string | undefined;
  pricing: Pricing;
  /** The slots in the order in which they are attempted, those of a tier together; never empty. */
  chain: readonly Slot[];
  /** How the slots of a tier share requests. Undefined where no slots have the same tier. */
  balance?: Balance | undefined;
  /** Whether a prompt that is too long for a slot is sent only to slots with a larger context. */
  fallsBackByContext?: boolean;
}

/** The kinds of tokens of a prompt that can have a price of their own. */
export const promptDimensions = [
  "input",
  "cached_input",
  "cache_write",
  "cache_write_1h",
  "audio_input",
] as const;

/** The same of what a model generates. */
export const outputDimensions = ["output", "reasoning", "audio_output"] as const;

export type TokenDimension = (typeof promptDimensions | typeof outputDimensions)[number];

/**
 * Prices by dimension. One that is missing costs what another one does; see `priceOf`. Routes that
 * bill one unit have the input price alone.
 */
export type Prices = { readonly input: Price } & {
  readonly [Dimension in TokenDimension]?: Price | undefined;
};

/** The prices of a slot. */
export type Pricing = Prices & {
  /** What the prices are for. */
  readonly unitType: UnitType;
  /** Prices that replace the others for long prompts, in the order of their lengths. */
  readonly tiers?: readonly Tier[];
  /** The price of a call of a provider's own tool, by its name. */
  readonly tools?: ReadonlyMap<string, Price>;
};

/** The prices of requests whose prompt has more than this many tokens. */
export type Tier = Prices & { readonly aboveInputTokens: bigint };

/** A provider's model that can serve an alias. */
export interface Slot extends SlotSharing {
  /** `provider/model`: its name in logs and for its circuit breaker; unique in its chain. */
  id: string;
  provider: Provider;
  /** The provider's own id for the model. */
  upstreamModel: string;
  /** The path after the provider's base URL, for instance `/chat/completions`. */
  path: string;
  /** The path of OCR jobs, where it is not `path` followed by `/jobs`. */
  jobsPath?: string | undefined;
  /** The path of the list of voices, where it is not `/audio/voices`. */
  voicesPath?: string | undefined;
  /**
   * The WebSocket of a transcription slot: a URL, or a path after the provider's base URL. Undefined
   * where the slot takes files only.
   */
  stream?: { url: string } | { path: string } | undefined;
  /** What an embeddings slot's inputs are for, in the provider's own term. */
  inputType?: string | undefined;
  /**
   * Whether usage that the provider does not report is measured at what the client sent: audio by its
   * header or bytes, documents by their page tree. Otherwise it is the elapsed time, and one page a file.
   */
  measuresUnreported?: boolean | undefined;
  /** The name of the output limit that a chat slot accepts; undefined where it accepts both names. */
  maxTokensField?: "max_tokens" | "max_completion_tokens" | undefined;
  pricing: Pricing;
  /** What the provider charges the operator. Undefined where the catalog does not say. */
  providerPricing?: Pricing | undefined;
  /** The slot with each key of its provider's pool. Requests are sent to these, and not to the slot itself. */
  keySlots?: readonly Slot[] | undefined;
  /** Of a slot with one key of a pool: the slot of the chain that it belongs to. */
  chainSlot?: Slot | undefined;
}

export interface Provider {
  name: string;
  kind: ProviderKind;
  /** Without a trailing slash. Undefined where it is read from the environment. */
  baseUrl: string | undefined;
  baseUrlEnv: string | undefined;
  apiKeyEnv: string | undefined;
  /** The name of the stored secret with its API key, in place of a variable. */
  secret?: string | undefined;
  /** The key that it is called with, if its entry has a list of keys. */
  key?: ProviderKey | undefined;
  /** Two keys or more, of which each request uses one: see `Slot.keySlots`. */
  keys?: readonly ProviderKey[] | undefined;
  /** The identity of the cloud by which it is called, in place of a key. */
  identity?: IdentitySettings | undefined;
  /** Of a kind with regions. */
  region?: string | undefined;
  /** Whether it speaks OpenAI's Responses API, beside chat completions. */
  responses?: boolean;
  /** Whether a file is transcribed by OpenAI's form. Otherwise it is the body, or the kind's own request. */
  takesTranscriptionForms?: boolean;
  /** Whether requests may contain URLs of images and files at private addresses. */
  takesPrivateUrls?: boolean;
  /** Whether requests for a stream of chat ask it to report the usage in each chunk. */
  continuousUsage?: boolean;
  /** The proxy through which it is called, in place of that of the environment; `none` for none. */
  proxy?: string;
  /** The variable with the address of its proxy, which may contain a user and a password. */
  proxyEnv?: string;
  /** The files with the certificates of its connections. */
  tls?: TlsFiles;
  /** How long a connection may take to open. */
  connectMs?: number;
  /** How long a response in chunks may take to begin, where that is less than `timeoutMs`. */
  firstByteMs?: number | undefined;
  /** How long the provider may send nothing, before its response and during it. */
  timeoutMs: number;
  /** How long a request may take in all. */
  totalMs?: number | undefined;
  /** Whether the catalog sets no timeout, so that a route with a limit of its own may replace it. */
  isDefaultTimeout?: boolean;
}

/** Absolute paths of PEM files. */
export interface TlsFiles {
  /** The authorities that may sign the provider's certificate, in place of those of Node. */
  ca?: string | undefined;
  /** The client's certificate, and its key. */
  cert?: string | undefined;
  key?: string | undefined;
}

/** A plan of the catalog: the prices of the accounts that have it. */
export interface PricePlan {
  readonly name: string;
  /**
   * Returns a model at the prices of the plan: the same object for the same model, so that a request has
   * one price from its hold to its charge, even if a catalog is published meanwhile.
   */
  modelOf(model: Model): Model;
}

export interface Catalog {
  /** By name, also those that no model has. */
  providers: ReadonlyMap<string, Provider>;
  models: ReadonlyMap<string, Model>;
  plans: ReadonlyMap<string, PricePlan>;
  limits: { requestsPerMinute: number; tokensPerMinute: number };
}

/** Returns the names of the stored secrets that a catalog's providers use. */
export function secretNamesOf({ providers }: Catalog): ReadonlySet<string> {
  const all = [...providers.values()].flatMap((one) => [one, ...(one.keys ?? [])]);
  return new Set(all.flatMap(({ secret }) => secret ?? []));
}

/** Returns a model at the prices of a plan; at the list prices if the catalog does not have the plan. */
export function modelAtPlan({ plans }: Pick<Catalog, "plans">, model: Model, plan: string): Model {
  return plans.get(plan)?.modelOf(model) ?? model;
}

/**
 * Returns the model of an alias, if a route of `routeType` may serve it to a key whose policy has the
 * globs `models`. Any other alias is as unknown as one that does not exist, and as a value that is
 * not a string.
 */
export function servableModel(
  catalog: Catalog,
  alias: unknown,
  routeType: RouteType,
  models: readonly string[],
): Model | undefined {
  if (typeof alias !== "string") return undefined;
  const model = catalog.models.get(alias);
  if (model?.routeType !== routeType) return undefined;
  return allowsModel(models, model) ? model : undefined;
}
