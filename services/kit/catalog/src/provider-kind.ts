import type { Environment } from "@tollgate/core/config";
import type { JsonObject } from "@tollgate/core/json";
import type { ChatInput } from "./chat-inputs.ts";
import { type ChatMember, chatMembers } from "./chat-members.ts";
import type { IdentitySource, IdentityValues } from "./identity/identity.ts";
import type { ProviderRefusal, ReadRefusal } from "./provider-refusal.ts";
import { type RouteType, routeTypes } from "./route-types.ts";

/** How providers are sent a file to transcribe: its bytes alone, or in OpenAI's form. */
export const transcriptionWires = ["raw", "multipart"] as const;

/**
 * What the catalog and the provider client need to know of a kind of providers: of a vendor, or of all
 * that speak the same API. The kinds themselves are in `@tollgate/providers`.
 */
export interface ProviderKind {
  /** Its name in the catalog file. */
  readonly name: string;
  /**
   * The address of a provider whose entry has none; undefined where the entry must have one. `{region}`
   * and `{domain}` are those of the provider's region.
   */
  readonly defaultBaseUrl: string | undefined;
  /** The addresses of route types that have another one than `defaultBaseUrl`. */
  readonly routeBaseUrls: { readonly [Type in RouteType]?: string };
  /** The regions of its providers; undefined where they have none. */
  readonly regions: Regions | undefined;
  /** Whether the default address has a project, `{project}`, which an entry then names. */
  readonly hasProjects: boolean;
  /**
   * The route types that the kind serves, each with its default path. `{model}` is the model's id. A function
   * returns the path of a model.
   */
  readonly paths: { readonly [Type in RouteType]?: string | ((model: string) => string) };
  /** Whether its embeddings models take token ids. */
  readonly takesTokens: boolean;
  /**
   * Whether usage that a provider does not report is measured at what the client sent; see
   * `Slot.measuresUnreported`. A model's `unreported` replaces it.
   */
  readonly measuresUnreported: boolean;
  /**
   * Whether a file is transcribed by OpenAI's form, `multipart/form-data`: `always`, where a provider's
   * entry says so, or `never`.
   */
  readonly transcriptionForms: "always" | "optional" | "never";
  /** Who is known to take that form, and what models report; undefined where it is never sent. */
  readonly knownTranscribers: KnownTranscribers | undefined;
  /**
   * Whether its providers bill tokens that are written to the prompt cache for an hour apart from those
   * for five minutes. A chat model then needs their price: clients would choose the longer mark for the
   * shorter one's price.
   */
  readonly billsHourlyCacheWrites: boolean;
  /** The members of a chat request that a provider of the kind can be sent. */
  readonly chatParameters: ReadonlySet<ChatMember>;
  /** What the messages to its providers may have besides text and images. */
  readonly chatInputs: ReadonlySet<ChatInput>;
  /** Whether a provider can be sent the members of `passes`, which the API does not define. */
  readonly takesOtherMembers: boolean;
  /** The wires of chat that its providers speak; Responses only where the provider's entry says so. */
  readonly nativeWires: ReadonlySet<NativeWire>;
  /** The environment variables with the credentials of a provider whose entry names none. */
  readonly variables: CredentialVariables | undefined;
  /** Undefined where its providers are called by API keys only. */
  readonly identity: IdentitySource | undefined;
  /** Returns the headers that authorize a request. */
  authorize(request: OutboundRequest, credentials: Credentials): Record<string, string>;
  /** Returns the message in the JSON body of a refusal; undefined where it has none. */
  refusalMessage(body: unknown): string | undefined;
  /**
   * Returns the status of failure for which a member of a response with status 200 stands. Undefined for
   * one that reports no error so.
   */
  reportedStatus(response: JsonObject): number | undefined;
  /** Returns what a refusal means in the vendor's own words. */
  readRefusal(refusal: ProviderRefusal): ReadRefusal;
}

/** The kinds by their names. A provider whose entry names none is of the first one. */
export type ProviderKinds = Readonly<Record<string, ProviderKind>>;

/** What a slot of a transcriptions model is compared with, to warn of what does not fit. */
export interface KnownTranscribers {
  /** The hosts that take files in the form, and by no other wire. */
  readonly formHosts: RegExp;
  /** The ids of models that report tokens. */
  readonly tokenModels: RegExp;
  /** Those of models that report seconds, at most. */
  readonly secondModels: RegExp;
}

/** A wire of chat: that of chat completions, of Anthropic's Messages or of OpenAI's Responses. */
export type NativeWire = "chat" | "messages" | "responses";

/** The regions of a kind. */
export interface Regions {
  readonly name: RegExp;
  /** For errors: `must be the name of …`. */
  readonly described: string;
  readonly example: string;
  /** Returns the domain of the addresses in a region. */
  domainOf(region: string): string;
}

export interface CredentialVariables {
  /** The variable with the API key. */
  readonly key: string;
  /** The variables that are all needed where that one is not set. */
  readonly instead: readonly string[];
  /** Whose credentials a variable of this pattern may have. Only `key` may be sent as an API key. */
  readonly owner: string;
  readonly pattern: RegExp;
}

/** A request as it is sent. */
export interface OutboundRequest {
  readonly method: string;
  /** `https://HOST` or `http://HOST:PORT`. */
  readonly origin: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where the request has none, or a stream. */
  readonly body: Uint8Array | readonly Uint8Array[] | undefined;
}

export interface Credentials {
  readonly apiKey: string | undefined;
  /** Of a provider that is called by an identity. */
  readonly identity?: IdentityValues | undefined;
  readonly region: string | undefined;
  readonly env: Environment;
}

/** The members that the gateway sets or reads itself, and those that it refuses for all models. */
const ownMembers: ReadonlySet<ChatMember> = new Set<ChatMember>([
  "model",
  "messages",
  "stream",
  "stream_options",
  "session_id",
  "store",
  "service_tier",
]);

/** The members of a chat request that a provider can be sent, if it takes all. */
export const allChatParameters: ReadonlySet<ChatMember> = new Set(
  chatMembers.filter((member) => !ownMembers.has(member)),
);

/** Returns the route types that a kind serves. */
export function routeTypesOf({ paths }: ProviderKind): readonly RouteType[] {
  return routeTypes.filter((type) => paths[type] !== undefined);
}

/** Returns the members of a chat request that providers of all kinds take, besides those of `passes`. */
export function commonParameters(kinds: readonly ProviderKind[]): readonly ChatMember[] {
  return chatMembers.filter((member) =>
    kinds.every(({ chatParameters }) => chatParameters.has(member)),
  );
}
