import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  SharedV4ProviderMetadata,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type { ProviderKind, Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { SignatureForm } from "./reasoning.ts";

/** A kind of providers whose chat goes through a package of the AI SDK, and what it does its own way. */
export interface LanguageModelKind {
  kind: ProviderKind;
  /** The members that `metadata` may have. */
  metadataMembers: ReadonlySet<string>;
  /** Where thinking has its signature. */
  signatures: SignatureForm;
  /** The headers of the package that are sent. */
  headers: readonly string[];
  /** How events are separated in a stream: by AWS's own framing, or by lines where it is not set. */
  framing?: "aws";
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
  /** Resolves with the package's warnings of a request. Throws what the package throws. */
  warningsOf(
    modelId: string,
    options: LanguageModelV4CallOptions,
    isStream: boolean,
  ): Promise<readonly SharedV4Warning[]>;
  /** The members of a chat request behind features of warnings, besides those of all kinds. */
  warnedMembers: Readonly<Record<string, string>>;
  /** Returns whether a warning is of nothing that the client has sent. */
  isHarmless(warning: SharedV4Warning): boolean;
  /** Returns the HTTP status of an error event in a stream, where it is known. */
  statusOfEvent(error: unknown): number | undefined;
  /** Returns the provider's explanation of a response that it refused, or null. */
  refusalOf(metadata: SharedV4ProviderMetadata | undefined): string | null;
}
