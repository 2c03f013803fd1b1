import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ChatUsage } from "../usage/usage.ts";
import type { Chunk } from "./chat/chunk.ts";
import type { WithChoices } from "./chat/provider-response.ts";

/**
 * A wire that clients speak besides chat completions. A slot whose provider speaks it, too, is sent
 * the client's own bytes, and so is the client the provider's. For all other slots, requests and
 * responses are translated to chat completions and back.
 */
export interface Wire {
  /** The member of a request with the output limit. */
  readonly limitMember: string;
  /** Returns the path at which the slot's provider speaks the wire; undefined where it does not. */
  nativePathOf(slot: Slot): string | undefined;
  /** Throws `credit_balance_exhausted` for a request that cannot have so low an output limit. */
  checkLimit(request: JsonObject, maxTokens: bigint): void;
  /**
   * Returns a request as a chat completion request for a slot, without its model, its output limit
   * and `stream`. `passes` are further members that the model takes. Throws `invalid_param` for what
   * chat completions cannot express.
   */
  toChat(request: JsonObject, slot: Slot, passes: ReadonlySet<string>): JsonObject;
  /** Returns a request without the thinking of providers that do not speak the wire. */
  withoutForeignThinking(request: JsonObject): JsonObject;
  /** Returns the error of a prompt that is too long, as the wire's clients expect it. */
  describeLength(hint: string): { param: string; message: string };
  /** Returns the name of a request's member that the member of a chat request was made from. */
  memberOf(chatMember: string): string;
  /** Returns a chat completion as a response of the wire. Throws a SlotFailure where it cannot. */
  fromChat(completion: WithChoices, usage: ChatUsage, frame: ResponseFrame): JsonObject;
  /** Starts to write the chunks of a chat completion as the events of a stream. */
  writeEvents(frame: ResponseFrame): WireEvents;
  /**
   * Returns the usage block of a provider's response, and the text from which its usage is estimated
   * where it has none. Throws a SlotFailure for any other value.
   */
  readResponse(response: JsonObject): { usage: unknown; text: string };
  /** Starts to read the events of a provider's stream. */
  readEvents(alias: string): WireEvents;
}

/** What a response says besides what was generated. */
export interface ResponseFrame {
  alias: string;
  /** Hexadecimal digits, unique for the request. */
  id: string;
  /** Unix time in seconds. */
  created: number;
  request: JsonObject;
  /** An estimate, for events that come before the provider's usage. */
  promptTokens: bigint;
}

/** An event of a provider, and what it says in the terms of a chat completion's chunk. */
export interface WireChunk extends Chunk {
  data: string;
  value: JsonObject;
}

/** The events of one stream: read from those of a provider, and written for the client. */
export interface WireEvents {
  /** Reads the data of one event of the provider. Throws a SlotFailure for an error. */
  read(data: string): WireChunk | undefined;
  /**
   * Called for each event that the hold covers, in order. Returns what the client is sent for it: one
   * event or more.
   */
  deliver(chunk: WireChunk): Uint8Array | undefined;
  /**
   * Returns the events that end the stream, which the client is sent once it is paid. `isCut`:
   * the wallet has nothing for the rest of the response.
   */
  end(usage: ChatUsage, isCut: boolean): Uint8Array;
  /** Returns the usage of a stream that ended early, with the prompt as the provider counted it. */
  usageSoFar(approximate: ChatUsage): ChatUsage;
}
