import type { Price } from "@tollgate/core/money";

export const routeTypes = [
  "chat",
  "embeddings",
  "speech",
  "transcriptions",
  "rerank",
  "ocr",
  "classification",
  "images",
] as const;

export type RouteType = (typeof routeTypes)[number];

/** The versions of the taxonomy that a classification can speak. */
export const taxonomies = ["2.1", "2.2", "3.1"] as const;
export type Taxonomy = (typeof taxonomies)[number];

/** What a classification alias does: assign the labels of a taxonomy, or extract entities. */
export type Classification =
  | { lane: "taxonomy"; taxonomies: readonly Taxonomy[] }
  | { lane: "entities" };

/** The forms in which speech can be answered. */
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

/** A model as the catalog describes it: what clients call by its alias, and who serves it. */
export interface Model {
  alias: string;
  routeType: RouteType;
  /** `unlisted` is served but not shown; `internal` is neither. */
  visibility: "public" | "unlisted" | "internal";
  /** Unix seconds. */
  created: number;
  ownedBy: string;
  contextTokens: number | undefined;
  /** The ceiling of a chat answer whose client set none. */
  maxOutputTokens: number | undefined;
  vision: boolean;
  /** The most that the provider counts an image as, where the catalog says it. */
  imageTokens?: number | undefined;
  /** On speech aliases alone; `maxCharacters` caps the input of one call. */
  speech?: { maxCharacters: number; formats: readonly SpeechFormat[] };
  /**
   * On transcription aliases alone; `required`: the provider serves only languages it was named.
   */
  transcription?: { language: "required" | "auto" };
  /** On OCR aliases alone: the kind of documents that they read. */
  ocr?: { lane: OcrLane };
  /** On classification aliases alone. */
  classification?: Classification;
  unitType: UnitType;
  pricing: Pricing;
  /** The slots in the order in which they are tried; never empty. */
  chain: readonly Slot[];
}

/** Prices of what goes in and of what comes out; routes that bill one unit have no output price. */
export interface Pricing {
  input: Price;
  cachedInput: Price | undefined;
  output: Price | undefined;
}

/** One place that can serve a model. */
export interface Slot {
  /** `provider/model`: its name in logs and for its circuit breaker, its own in its chain. */
  id: string;
  provider: Provider;
  /** The provider's own id for the model. */
  upstreamModel: string;
  /** What follows the provider's base URL, for instance `/chat/completions`. */
  path: string;
  /** Where an OCR slot takes jobs, where that is not its path with `/jobs` behind it. */
  jobsPath?: string | undefined;
  /** Where a speech slot tells its voices, where that is not `/audio/voices`. */
  voicesPath?: string | undefined;
  /**
   * The WebSocket of a transcription slot, as a URL or by what follows the provider's base URL;
   * undefined where it takes whole files only.
   */
  stream?: { url: string } | { path: string } | undefined;
  /** The one name that a chat slot knows its output ceiling by; undefined where it knows both. */
  maxTokensField?: "max_tokens" | "max_completion_tokens" | undefined;
  pricing: Pricing;
}

export interface Provider {
  name: string;
  /** Without a trailing slash. Undefined where it comes from the environment. */
  baseUrl: string | undefined;
  baseUrlEnv: string | undefined;
  apiKeyEnv: string | undefined;
  /** The longest the provider may stay silent, before its answer and within it. */
  timeoutMs: number;
}

export interface Catalog {
  models: ReadonlyMap<string, Model>;
  limits: { requestsPerMinute: number; tokensPerMinute: number };
}

/** The model of that alias that a route of `routeType` may serve; undefined when there is none. */
export function servableModel(
  catalog: Catalog,
  alias: string,
  routeType: RouteType,
): Model | undefined {
  const model = catalog.models.get(alias);
  if (model === undefined || model.visibility === "internal") return undefined;
  return model.routeType === routeType ? model : undefined;
}
