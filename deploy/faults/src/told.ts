import type { Exchange } from "./exchange.ts";

/** Whose money a request spends. */
export interface Customer {
  accountId: string;
  key: string;
  /** Can pay for all that it asks for. */
  isRich: boolean;
}

/** What a client knows of one request after it is over. */
export interface Told {
  family: string;
  customer: Customer;
  /** How its last attempt ended, see `Exchange`. */
  ended: Exchange["ended"];
  status: number;
  why?: string | undefined;
  /** The id on its last answer, empty when none came. */
  requestId: string;
  attempts: number;
  /** Attempts of which no id came back: nobody can say which entries are theirs. */
  nameless: number;
  /** It was sent under an idempotency key, the same in all attempts. */
  keyed: boolean;
  /** Its answers name what they cost. */
  tellsCost: boolean;
  /** What the answer said that it cost. */
  costNanoUsd?: bigint | undefined;
  /** What a whole answer must have been charged, where the answer does not say. */
  owedNanoUsd?: bigint | undefined;
  /** The usage event that is to have been recorded, where it is not the request's own. */
  eventId?: string | undefined;
  /** The conversation that the turn belongs to. */
  sessionId?: string | undefined;
}
