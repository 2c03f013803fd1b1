import type { JsonObject } from "@tollgate/core/json";
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
}

/** The frame of the response to a call. The request is parsed only where a wire repeats it. */
export class CallFrame implements ResponseFrame {
  readonly alias: string;
  readonly id: string;
  readonly created: number;
  readonly promptCharacters: bigint;
  readonly sessionId: string;
  readonly #client: ClientRequest;

  constructor(
    client: ClientRequest,
    { alias, promptCharacters, now }: { alias: string; promptCharacters: bigint; now: Date },
  ) {
    const { caller, sessionId } = client.call;
    this.alias = alias;
    this.id = caller?.requestId.replace(/^req_/, "") ?? "";
    this.created = Math.floor(now.getTime() / 1_000);
    this.promptCharacters = promptCharacters;
    this.sessionId = sessionId;
    this.#client = client;
  }

  get request(): JsonObject {
    return this.#client.json;
  }
}
