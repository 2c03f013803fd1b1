import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import {
  claimLeaseMs,
  type FoundRecord,
  type HeldClaim,
  type IdempotencyRecords,
  type KeptAnswer,
} from "./records.ts";
import type { RequestKey } from "./request-key.ts";

/** How claims are timed; see `defaultTimes`. */
export interface ClaimTimes {
  /** How long a claim lives without renewal. */
  leaseMs: number;
  /** The longest that a request waits for another that has its key and still runs. */
  maxWaitMs: number;
  /** How long what could not be put on record is tried again. */
  maxKeepMs: number;
}

const defaultTimes: ClaimTimes = {
  leaseMs: claimLeaseMs,
  maxWaitMs: 30_000,
  maxKeepMs: 10 * 60 * 1_000,
};
const firstPauseMs = 20;
const longestPauseMs = 250;
const retryAfterSeconds = 1;
const sweepEveryMs = 5 * 60 * 1_000;

/** The right to run the request of an idempotency key; it ends by one of the last three methods. */
export interface Claim {
  chargeId: string;
  /**
   * Says which conversation the run adds a turn to: from now on, its deletion ends the claim too.
   * Raises `no_provider_available` when that cannot be recorded; no other method raises.
   */
  link(conversationId: string): Promise<void>;
  /**
   * Keeps the answer, so that it is replayed from now on. Where it cannot be kept now, that is
   * tried again until it can, while the claim is still held. Answers the record of another run
   * that took the claim over and was first to answer. Of a conversation that was deleted meanwhile
   * nothing is kept.
   */
  keep(answer: KeptAnswer): Promise<FoundRecord | undefined>;
  /** The run has no answer to keep: the same request runs when it comes again. */
  release(): Promise<void>;
  /** The same for a run that was refused, and never charged: see `IdempotencyRecords`. */
  drop(): Promise<void>;
}

export interface Claims {
  /**
   * Claims a key for this run, or finds the answer that an earlier one left, waiting for a run
   * under way. Raises `idempotency_key_reused` when the key came with another request,
   * `idempotency_key_in_use` when the wait is over, and `no_provider_available` when no record can
   * be made.
   */
  enter(key: RequestKey, requestId: string, signal: AbortSignal): Promise<Claim | FoundRecord>;
  /** Waits for the runs under way, `graceMs` at most. */
  stop(graceMs: number): Promise<void>;
}

export function createClaims(
  records: IdempotencyRecords,
  log: Log,
  times: ClaimTimes = defaultTimes,
): Claims {
  const held = new Set<HeldClaim>();
  const renewal = setInterval(() => {
    if (held.size === 0) return;
    records.renew([...held]).catch((error: Error) => {
      log.warn({ claims: held.size, reason: error.message }, "claims not renewed");
    });
  }, times.leaseMs / 3);
  const sweep = setInterval(() => {
    records.sweep().catch((error: Error) => log.warn({ reason: error.message }, "not swept"));
  }, sweepEveryMs);
  sweep.unref();

  return {
    async enter(key, requestId, signal) {
      try {
        const entered = await claimOrFind(records, times, { key, requestId, signal });
        if (typeof entered !== "string") return entered;
        const claim = { key, runner: requestId };
        held.add(claim);
        return holdClaim(claim, entered, { records, log, times, end: () => held.delete(claim) });
      } catch (error) {
        if (error instanceof GatewayError || signal.aborted) throw error;
        throw notRecorded(error, log);
      }
    },
    async stop(graceMs) {
      const deadline = performance.now() + graceMs;
      while (held.size > 0 && performance.now() < deadline) await sleep(firstPauseMs);
      clearInterval(renewal);
      clearInterval(sweep);
    },
  };
}

interface Holding {
  records: IdempotencyRecords;
  log: Log;
  times: ClaimTimes;
  end(): void;
}

function holdClaim(claim: HeldClaim, chargeId: string, holding: Holding): Claim {
  const { records, log, end } = holding;
  const { key, runner } = claim;
  /** Until it is done, nobody else has the key: it may be another's then. */
  const give = async (work: () => Promise<void>) => {
    try {
      await work();
      end();
    } catch (error) {
      log.error({ err: error, request_id: runner }, "an idempotency record was not released yet");
      void tryAgain(work, runner, holding).then(end);
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
    release: () => give(() => records.release(key, runner)),
    drop: () => give(() => records.drop(key, runner)),
    async keep(answer) {
      try {
        const kept = await records.keep(key, runner, answer);
        end();
        return kept ? undefined : await otherAnswer(claim, holding);
      } catch (error) {
        log.warn({ err: error, request_id: runner }, "an answer is not kept yet");
        void tryAgain(() => records.keep(key, runner, answer), runner, holding).then(end);
        return undefined;
      }
    },
  };
}

/** What another run answered, if the claim had passed to one. */
async function otherAnswer(
  { key, runner }: HeldClaim,
  { records, log }: Holding,
): Promise<FoundRecord | undefined> {
  log.warn({ request_id: runner }, "the claim was lost before its answer was kept");
  const found = await records.find(key);
  return found?.sameRequest && found.state === "answered" ? found : undefined;
}

/** Never raises. */
async function tryAgain(
  work: () => Promise<unknown>,
  runner: string,
  { log, times }: Holding,
): Promise<void> {
  const deadline = performance.now() + times.maxKeepMs;
  for (let pauseMs = firstPauseMs; performance.now() < deadline; pauseMs *= 2) {
    await sleep(Math.min(pauseMs, times.leaseMs / 3));
    try {
      await work();
      return;
    } catch {
      // Said once already; the next try may do better.
    }
  }
  log.error({ request_id: runner }, "an idempotency record was never brought up to date");
}

interface Entering {
  key: RequestKey;
  requestId: string;
  signal: AbortSignal;
}

/** Answers the charge id of a new claim, or the record that answers the request. */
async function claimOrFind(
  records: IdempotencyRecords,
  { maxWaitMs }: ClaimTimes,
  { key, requestId, signal }: Entering,
): Promise<string | FoundRecord> {
  const deadline = performance.now() + maxWaitMs;
  let pauseMs = firstPauseMs;
  let chargeId = await records.claim(key, requestId);
  while (chargeId === undefined) {
    const found = await records.find(key);
    if (found?.sameRequest === false) throw reused();
    if (found !== undefined && found.state !== "free") {
      if (found.state === "answered") return found;
      if (performance.now() + pauseMs > deadline) throw inUse();
      await sleep(pauseMs, undefined, { signal });
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    } else {
      chargeId = await records.claim(key, requestId);
    }
  }
  return chargeId;
}

function notRecorded(cause: unknown, log: Log): GatewayError {
  log.error({ err: cause }, "an idempotency record could not be made");
  const message = "The key cannot be recorded now, so the request did not run. Retry soon.";
  return new GatewayError("no_provider_available", message, { cause });
}

function reused(): GatewayError {
  const message = "This Idempotency-Key came with another request before. Use a new one.";
  return new GatewayError("idempotency_key_reused", message);
}

function inUse(): GatewayError {
  const message = "A request with this Idempotency-Key still runs. Retry to get its answer.";
  return new GatewayError("idempotency_key_in_use", message, { retryAfterSeconds });
}
