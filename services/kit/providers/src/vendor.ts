import type { Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import type { RouteType } from "@tollgate/catalog/route-types";
import type { JsonObject } from "@tollgate/core/json";
import type { ChatAdapter } from "./chat-adapter.ts";
import type { ChatUsage } from "./chat-usage.ts";
import type { JsonAdapter } from "./json-adapter.ts";
import type { LiveAdapter } from "./live-adapter.ts";
import type { ModelList } from "./model-list.ts";
import type { OcrAdapter } from "./ocr-adapter.ts";
import type { SpeechAdapter } from "./speech-adapter.ts";
import type { TranscriptionAdapter } from "./transcription-adapter.ts";

/**
 * All that one kind of providers does its own way. A column without an adapter is the wire of OpenAI's
 * API, or the gateway's own where OpenAI has none.
 */
export interface Vendor extends ProviderKind {
  /** Undefined for a kind that serves no chat. */
  readonly chat: VendorChat | undefined;
  /** Of the routes that take and return JSON. */
  readonly json: { readonly [Type in RouteType]?: JsonAdapter };
  /** The members that are refused on those routes, although their wire has them. */
  readonly refusedMembers: { readonly [Type in RouteType]?: readonly string[] };
  /** The members that a slot is not sent, because its model refuses them and does as they say anyway. */
  readonly omittedMembers: { readonly [Type in RouteType]?: (slot: Slot) => readonly string[] };
  readonly ocr: OcrAdapter | undefined;
  readonly speech: SpeechAdapter | undefined;
  readonly transcription: TranscriptionAdapter | undefined;
  readonly live: LiveAdapter | undefined;
  /** Undefined for a kind whose API lists no models. */
  readonly modelList: ModelList | undefined;
}

/** What a kind does its own way in chat. */
export interface VendorChat {
  /**
   * Loads the adapter; undefined for OpenAI's wire. A package of the AI SDK takes megabytes of memory,
   * which a gateway without such a provider saves.
   */
  readonly load: (() => Promise<ChatAdapter>) | undefined;
  /** Throws a GatewayError that names the first member of OpenAI's wire that the slot does not take. */
  readonly check: ((slot: Slot, request: JsonObject) => void) | undefined;
  /** Reads a usage block; undefined for a block that cannot be billed from. */
  readUsageBlock(block: unknown): ChatUsage | undefined;
  /** Whether the chunks of a model's stream report the output so far, reasoning included. */
  reportsOutputSoFar(model: string): boolean;
  /**
   * Returns whether a request, of a wire that its providers speak or a chat completion, has thinking whose
   * tokens they report at the end only, and not as tokens of reasoning. Undefined where they do.
   */
  readonly thinksUnreported: ((request: JsonObject) => boolean) | undefined;
  /** Whether messages of the system may follow others. */
  readonly takesLateInstructions: boolean;
  /** Whether a model reads the marks of the prompt cache that Anthropic's API defines. */
  keepsCacheMarks(model: string): boolean;
  /** Whether a model can be told to make one call of a tool at a time. */
  takesSerialCalls(model: string): boolean;
  /**
   * Whether the switch of thinking is sent to a model. An adapter leaves it out itself where the model
   * does not think.
   */
  takesEffort(model: string): boolean;
}
