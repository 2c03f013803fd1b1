import type { Model, Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { NanoUsd } from "@tollgate/core/money";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import type { ChatUsage, ToolCalls } from "@tollgate/providers/chat-usage";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import type { ProviderResponse } from "@tollgate/upstream/provider-response";
import type { Session } from "../conversations/session.ts";
import type { GeneratedTurn } from "../conversations/turn.ts";
import type { OfferedTool } from "../hold/hold-plan.ts";
import type { WithChoices } from "./chat/completion.ts";
import type { Chunk } from "./chunk.ts";
import type { ClientRequest } from "./client-request.ts";
import type { ResponseContext } from "./response-context.ts";

/**
 * A wire that clients speak. A slot whose provider speaks it, too, is sent the client's own bytes.
 * For all other slots, requests and responses are translated to chat completions and back.
 */
export interface Wire {
  /** What the ids of responses begin with where the gateway makes them. */
  readonly idPrefix: string;
  /** Whether responses that are translated keep the provider's id. */
  readonly keepsIds: boolean;
  /** Returns the request in a call. */
  parse(call: ChatCall): JsonObject;
  /**
   * Returns the slots of a model that can serve a request. Throws `invalid_param` where none can, or
   * where the wire requires that all of them can.
   */
  findSlots(client: ClientRequest, model: Model, isStream: boolean): Promise<ServableSlots>;
  /**
   * Posts the client's request to a slot whose provider speaks the wire. Throws what
   * `ProviderClient.send` throws, and `credit_balance_exhausted` where the request cannot have so low
   * an output limit.
   */
  post(
    providers: ProviderClient,
    client: ClientRequest,
    slot: Slot,
    sending: Sending,
  ): Promise<ProviderResponse>;
  /** Returns whether the value of such a provider's response has neither a finish nor output. */
  isEmpty(value: JsonObject): boolean;
  /**
   * Reads the response of a provider that speaks the wire. Throws a SlotFailure where it is none, or
   * empty.
   */
  readResponse(response: ProviderJson, context: ResponseContext): WireResponse;
  /** Starts to read the events of such a provider. */
  readEvents(context: ResponseContext): WireEvents;
  /** Returns a chat completion as a response of the wire. */
  fromChat(completion: WithChoices, context: ResponseContext): WireResponse;
  /** Starts to write the chunks of a chat completion as the events of a stream. */
  writeEvents(context: ResponseContext): WireEvents;
  /**
   * Returns the error to throw for one of the providers' attempts. `isNative`: the slot that was
   * attempted last was sent the client's own bytes.
   */
  describeFailure(error: unknown, isNative: boolean): unknown;
  /**
   * Returns the path at which the slot's provider counts the tokens of a prompt; undefined where it
   * does not, or the wire has no such request.
   */
  countPathOf?(slot: Slot): string | undefined;
  /** Returns the body of such a request, without the model. Only wires with such a request have this. */
  ownBody?(client: ClientRequest): Buffer;
  /** Returns the tools of a request that its provider runs. Only wires with such tools have this. */
  offeredTools?(request: JsonObject): readonly OfferedTool[];
}

/** The slots of a model that can serve a request. */
export interface ServableSlots {
  chain: readonly Slot[];
  /** The chat completion request for each slot of the chain whose provider does not speak the wire. */
  translated: ReadonlyMap<Slot, JsonObject>;
}

/** How a request is sent. */
export interface Sending {
  isStream: boolean;
  /** The output ceiling of each choice. */
  maxTokens: bigint;
  /** The conversation that the request continues. */
  session: Session | undefined;
  signal: AbortSignal;
}

/** A provider's complete response. */
export interface ProviderJson {
  bytes: Uint8Array;
  value: JsonObject;
}

/** A complete response. */
export interface WireResponse {
  /** What the provider reports; undefined where it reports nothing that can be billed from. */
  readonly reported: ChatUsage | undefined;
  /** The generated messages, in the terms of a chat completion. */
  readonly messages: readonly unknown[];
  /** The calls of tools that the provider ran, where they are items of the response. */
  readonly toolCalls: readonly ToolCalls[];
  /** Returns its body. */
  write(usage: ChatUsage, cost: NanoUsd): Uint8Array;
  /** Returns what a conversation stores of it. Only wires with conversations have this. */
  generated?(): GeneratedTurn;
}

/** The events of one stream: read from those of a provider, and written for the client. */
export interface WireEvents {
  /**
   * Reads the data of one event of the provider, whose name is `name`. Returns undefined for an event that
   * says nothing, such as a heartbeat. Throws a SlotFailure for an error.
   */
  read(data: string, name?: string): Chunk | undefined;
  /**
   * Reads a whole response, which some providers send in place of a stream. Throws a SlotFailure where it
   * is none, or reports an error.
   */
  readWhole(value: unknown): readonly Chunk[];
  /**
   * Returns a chunk that ends the choices which a complete stream has left open. Only wires whose streams
   * may end so have this.
   */
  complete?(indexes: readonly number[]): Chunk;
  /**
   * Called for each event that the hold covers, in order. Returns what the client is sent for it: one
   * event or more.
   */
  deliver(chunk: Chunk): Uint8Array | undefined;
  /**
   * Called before `end` where the wallet has nothing for the rest of the response. `choices` end
   * those that have not ended. Returns what the client is sent at once.
   */
  cut(choices: readonly JsonObject[]): Uint8Array | undefined;
  /** Returns the events that end the stream, which the client is sent once it is paid. */
  end(usage: ChatUsage, cost: NanoUsd): Uint8Array;
  /** Returns what a conversation stores of the stream. Only wires with conversations have this. */
  generated?(): GeneratedTurn;
}
