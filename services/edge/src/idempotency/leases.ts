import { GatewayError } from "@tollgate/core/errors";
import { renewLeases } from "@tollgate/core/lease-renewal";
import type { Log } from "@tollgate/core/log";
import { Pauses } from "@tollgate/core/pauses";
import { repeat } from "@tollgate/core/repeat";
import {
  defaultLeaseMs,
  type FoundRecord,
  type HeldLease,
  type IdempotencyRecords,
  type ResponseToStore,
} from "./records.ts";
import type { RequestKey } from "./request-key.ts";

/** See `defaultTimings`. */
export interface LeaseTimings {
  /** How long a lease lives without renewal. */
  leaseMs: number;
  /** How long a request waits for another one that holds the lease of its key. */
  maxWaitMs: number;
  /** How long a failed write to a record is retried. */
  maxRetryMs: number;
}

const defaultTimings: LeaseTimings = {
  leaseMs: defaultLeaseMs,
  maxWaitMs: 30_000,
  maxRetryMs: 10 * 60 * 1_000,
};
const firstDelayMs = 20;
const maxDelayMs = 250;
const retryAfterSeconds = 1;
const sweepIntervalMs = 5 * 60 * 1_000;

/**
 * The exclusive right to run the request of an idempotency key. It ends by `store`, `release` or
 * `drop`.
 */
export interface Lease {
  chargeId: string;
  /**
   * Records the conversation that the run adds a turn to. From then on, deleting the conversation
   * ends the lease. Throws `no_provider_available` if it cannot be recorded. No other method
   * throws.
   */
  link(conversationId: string): Promise<void>;
  /**
   * Stores the response, which is replayed from then on. A failed write is retried in the
   * background while the lease is held. Resolves with the record of another run, if that run
   * recovered the lease and stored its response first. For a conversation that was deleted
   * meanwhile, nothing is stored.
   */
  store(response: ResponseToStore): Promise<FoundRecord | undefined>;
  /** Ends a run that has no response to store. The same request runs when it is sent again. */
  release(): Promise<void>;
  /** Ends a run that was rejected and never charged. See `IdempotencyRecords.drop`. */
  drop(): Promise<void>;
}

export interface Leases {
  /**
   * Acquires the lease of a key, or resolves with the record of an earlier response; waits while
   * another run holds the lease. Throws `idempotency_key_reused` if the key was used for another
   * request, `idempotency_key_in_use` after `maxWaitMs`, and `no_provider_available` if the
   * database fails.
   */
  acquire(key: RequestKey, requestId: string, signal: AbortSignal): Promise<Lease | FoundRecord>;
  /**
   * Resolves with whether an idempotency key of an API key has a record. Throws
   * `no_provider_available` if the database fails.
   */
  hasRecord(keyId: string, idempotencyKey: string): Promise<boolean>;
  /** Waits until all leases have ended, up to `graceMs`, and stops the timers. */
  stop(graceMs: number): Promise<void>;
}

/** Creates the leases over the records. Renews those that are held, until `stop`. */
export function createLeases(
  records: IdempotencyRecords,
  log: Log,
  timings: LeaseTimings = defaultTimings,
): Leases {
  const renewal = renewLeases<HeldLease>(records.renew, {
    checkEveryMs: timings.leaseMs / 12,
    onFailure(leases, { message: reason }) {
      log.warn({ leases, reason }, "idempotency leases were not renewed");
    },
  });

  async function sweep(): Promise<void> {
    try {
      await records.sweep();
    } catch (error) {
      const reason = (error as Error).message;
      log.warn({ reason }, "expired idempotency records were not removed");
    }
  }

  const sweeps = repeat(sweep, { everyMs: sweepIntervalMs });

  return {
    async acquire(key, requestId, signal) {
      try {
        const acquired = await acquireOrFind(records, timings, { key, requestId, signal });
        if (typeof acquired !== "string") return acquired;
        const lease = renewal.begin({ key, runner: requestId }, timings.leaseMs);
        const end = () => renewal.end(lease);
        return createLease(lease.held, acquired, { records, log, timings, end });
      } catch (error) {
        if (error instanceof GatewayError || signal.aborted) throw error;
        throw notRecorded(error, log);
      }
    },
    async hasRecord(keyId, idempotencyKey) {
      try {
        return await records.has(keyId, idempotencyKey);
      } catch (error) {
        throw notRecorded(error, log);
      }
    },
    async stop(graceMs) {
      const pauses = new Pauses({ firstMs: firstDelayMs, forMs: graceMs });
      while (renewal.size() > 0 && (await pauses.next()));
      renewal.stop();
      await sweeps.stop();
    },
  };
}

interface LeaseOptions {
  records: IdempotencyRecords;
  log: Log;
  timings: LeaseTimings;
  end(): void;
}

function createLease(lease: HeldLease, chargeId: string, options: LeaseOptions): Lease {
  const { records, log, end } = options;
  const { key, runner } = lease;
  /** The lease is held until the write succeeds. After that, another run may hold it. */
  const endBy = async (write: () => Promise<void>) => {
    try {
      await write();
      end();
    } catch (error) {
      log.error({ err: error, request_id: runner }, "an idempotency lease is not released yet");
      void retry(write, runner, options).then(end);
    }
  };
  return {
    chargeId,
    async link(conversationId) {
      try {
        await records.link(key, runner, conversationId);
      } catch (error) {
        throw notRecorded(error, log);
      }
    },
    release: () => endBy(() => records.release(key, runner)),
    drop: () => endBy(() => records.drop(key, runner)),
    async store(response) {
      try {
        const isStored = await records.store(key, runner, response);
        end();
        return isStored ? undefined : await findOtherResponse(lease, options);
      } catch (error) {
        log.warn({ err: error, request_id: runner }, "a response is not stored yet");
        void retry(() => records.store(key, runner, response), runner, options).then(end);
        return undefined;
      }
    },
  };
}

/** Resolves with the response of the run that recovered the lease, if there is one. */
async function findOtherResponse(
  { key, runner }: HeldLease,
  { records, log }: LeaseOptions,
): Promise<FoundRecord | undefined> {
  log.warn({ request_id: runner }, "the lease was lost before its response was stored");
  const found = await records.find(key);
  return found?.sameRequest && found.state === "stored" ? found : undefined;
}

/** Retries a write for up to `maxRetryMs`. Never throws. */
async function retry(
  write: () => Promise<unknown>,
  runner: string,
  { log, timings }: LeaseOptions,
): Promise<void> {
  const { leaseMs, maxRetryMs } = timings;
  const pauses = new Pauses({ firstMs: firstDelayMs, maxMs: leaseMs / 3, forMs: maxRetryMs });
  while (await pauses.next()) {
    try {
      await write();
      return;
    } catch {
      // The first failure was logged.
    }
  }
  log.error({ request_id: runner }, "an idempotency record could not be updated");
}

interface Acquisition {
  key: RequestKey;
  requestId: string;
  signal: AbortSignal;
}

/** Resolves with the charge id of a new lease, or with the record of a stored response. */
async function acquireOrFind(
  records: IdempotencyRecords,
  { maxWaitMs }: LeaseTimings,
  { key, requestId, signal }: Acquisition,
): Promise<string | FoundRecord> {
  let chargeId = await records.acquire(key, requestId);
  if (chargeId !== undefined) return chargeId;
  const pauses = new Pauses({
    firstMs: firstDelayMs,
    maxMs: maxDelayMs,
    forMs: maxWaitMs,
    signal,
  });
  while (chargeId === undefined) {
    const found = await records.find(key);
    if (found?.sameRequest === false) throw idempotencyKeyReused();
    if (found?.state === "stored") return found;
    if (found?.state !== "running") chargeId = await records.acquire(key, requestId);
    else if (!(await pauses.next())) throw idempotencyKeyInUse();
  }
  return chargeId;
}

function notRecorded(cause: unknown, log: Log): GatewayError {
  log.error({ err: cause }, "an idempotency record could not be created");
  const message = "The Idempotency-Key cannot be recorded now, so the request did not run. Retry.";
  return new GatewayError("no_provider_available", message, { cause });
}

/** Returns the error of a request whose idempotency key stands for another request. */
export function idempotencyKeyReused(): GatewayError {
  const message = "This Idempotency-Key was used for another request. Use a new one.";
  return new GatewayError("idempotency_key_reused", message);
}

/** Returns the error of a request whose idempotency key stands for one that is running. */
export function idempotencyKeyInUse(): GatewayError {
  const message = "A request with this Idempotency-Key is still running. Retry for its response.";
  return new GatewayError("idempotency_key_in_use", message, { retryAfterSeconds });
}
