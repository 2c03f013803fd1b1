import type { Customer } from "./customers.ts";
import type { RequestOutcome } from "./send-request.ts";

/** What a client knows about one request after its last attempt. */
export interface Observation {
  /** The name of the workload that sent the request. */
  workload: string;
  customer: Customer;
  /** The outcome of the last attempt. */
  outcome: RequestOutcome;
  status: number;
  reason?: string | undefined;
  /** The request id of the last response; empty when no response arrived. */
  requestId: string;
  attempts: number;
  /** Attempts without a request id: their ledger entries cannot be attributed. */
  attemptsWithoutId: number;
  /** All attempts had the same idempotency key. */
  keyed: boolean;
  /** The workload's complete responses report their cost. */
  reportsCost: boolean;
  /**
   * Its hold may cover less than its cost where the ledger is away for long, and the cost then stays
   * uncollected.
   */
  mayGrow?: boolean | undefined;
  /** The cost that the response reported. */
  costNanoUsd?: bigint | undefined;
  /** The cost of a complete response that does not report it. */
  expectedNanoUsd?: bigint | undefined;
  /** The id of the usage event, when it differs from the request id. */
  eventId?: string | undefined;
  /** The conversation to which the turn belongs. */
  sessionId?: string | undefined;
}
