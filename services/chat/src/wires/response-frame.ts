import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import type { VendorChat } from "@tollgate/providers/vendor";
import { vendorChatOf } from "@tollgate/providers/vendor-of";
import type { ClientRequest } from "./client-request.ts";

/** What a response says besides what was generated. */
export interface ResponseFrame {
  readonly alias: string;
  /** Hexadecimal digits, unique for the request. */
  readonly id: string;
  /** Unix time in seconds. */
  readonly created: number;
  readonly request: JsonObject;
  /** Characters of the prompt, for usage that is estimated. */
  readonly promptCharacters: bigint;
  /** The conversation that the request continues; empty for none. */
  readonly sessionId: string;
  /** Reads the usage block of the slot's provider; undefined for one that cannot be billed from. */
  readUsage(block: unknown): ChatUsage | undefined;
}

/** The frame of a slot's response to a call. The request is parsed only where a wire repeats it. */
export class CallFrame implements ResponseFrame {
  readonly alias: string;
  readonly id: string;
  readonly created: number;
  readonly promptCharacters: bigint;
  readonly sessionId: string;
  readonly #client: ClientRequest;
  readonly #vendor: VendorChat;

  constructor(
    client: ClientRequest,
    slot: Slot,
    { alias, promptCharacters, now }: { alias: string; promptCharacters: bigint; now: Date },
  ) {
    const { caller, sessionId } = client.call;
    this.alias = alias;
    this.id = caller?.requestId.replace(/^req_/, "") ?? "";
    this.created = Math.floor(now.getTime() / 1_000);
    this.promptCharacters = promptCharacters;
    this.sessionId = sessionId;
    this.#client = client;
    this.#vendor = vendorChatOf(slot);
  }

  get request(): JsonObject {
    return this.#client.json;
  }

  readUsage(block: unknown): ChatUsage | undefined {
    return this.#vendor.readUsage(block);
  }
}
