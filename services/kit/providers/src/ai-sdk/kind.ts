import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { ChatMember } from "@tollgate/catalog/chat-members";
import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { RefusalReader } from "@tollgate/upstream/refusal";
import type { Framing } from "./provider-fetch.ts";
import type { SignatureForm } from "./reasoning.ts";
import type { ResponseShape } from "./response-shape.ts";

/** A kind of providers whose chat goes through a package of the AI SDK, and what it does its own way. */
export interface LanguageModelKind {
  /** The members of a chat request that its providers can be sent. */
  chatParameters: ReadonlySet<ChatMember>;
  /** The members that `metadata` may have. */
  metadataMembers: ReadonlySet<string>;
  /** Whether the members of `passes` are sent, unchanged. Not set for a wire that is not like the API's. */
  takesOtherMembers?: boolean;
  /** Where thinking has its signature. */
  signatures: SignatureForm;
  /** The headers of the package that are sent. */
  headers: readonly string[];
  /** How events are separated in a stream; by lines where it is not set. */
  framing?: Framing;
  /** What is read of responses, so that whatever else a provider sends breaks none. */
  responses: ResponseShape;
  /** What the provider's reasons mean to finish with that the package does not know. */
  reasons?: Readonly<Record<string, LanguageModelV4FinishReason["unified"]>>;
  /** Returns the path of a request after the provider's base URL. */
  pathOf(slot: Slot, isStream: boolean): string;
  /** Creates the package's model. The provider client sets the address and the key. */
  createModel(modelId: string, fetch: typeof globalThis.fetch): LanguageModelV4;
  /**
   * Translates a chat completion request for a model. Throws `invalid_param` for a value that the
   * kind's wire cannot express.
   */
  callOptions(modelId: string, request: JsonObject): LanguageModelV4CallOptions;
  /**
   * Returns the member of a chat request that the package would leave out of these options, or change in
   * them; undefined where it sends all. A spec compares it with the package's own warnings.
   */
  unsupportedMember(modelId: string, options: LanguageModelV4CallOptions): string | undefined;
  /**
   * Returns the usage block in an event of a stream that is not its last one; undefined where it has
   * none. Not set for a provider that reports usage at the end only.
   */
  usageOfEvent?(event: unknown): JsonObject | undefined;
  /** Reads the words of the provider's errors. */
  refusals: RefusalReader;
  /** Returns the HTTP status of an error event in a stream, where it is known. */
  statusOfEvent(error: unknown): number | undefined;
  /** Returns the provider's explanation of a response that it refused, or null. */
  refusalOf(metadata: SharedV4ProviderMetadata | undefined): string | null;
}
