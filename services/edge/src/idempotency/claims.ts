import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@tollgate/kit/errors";
import type { Log } from "@tollgate/kit/log";
import {
  type FoundRecord,
  type HeldClaim,
  type IdempotencyRecords,
  type KeptAnswer,
  leaseMs,
} from "./records.ts";
import type { RequestKey } from "./request-key.ts";

/** The longest that a request waits for another that has its key and still runs. */
const maxWaitMs = 30_000;
const firstPauseMs = 20;
const longestPauseMs = 250;
const retryAfterSeconds = 1;
const renewEveryMs = leaseMs / 3;
const sweepEveryMs = 5 * 60 * 1_000;

/** The right to run the request of an idempotency key; it ends with `keep` or `release`. */
export interface Claim {
  chargeId: string;
  /** Keeps the answer, so that it is replayed from now on. Never raises. */
  keep(answer: KeptAnswer): Promise<void>;
  /** The run has no answer to keep: the next request with the key runs. Never raises. */
  release(): Promise<void>;
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

export function createClaims(records: IdempotencyRecords, log: Log): Claims {
  const held = new Set<HeldClaim>();
  const renewal = setInterval(() => {
    if (held.size === 0) return;
    records.renew([...held]).catch((error: Error) => {
      log.warn({ claims: held.size, reason: error.message }, "claims not renewed");
    });
  }, renewEveryMs);
  const sweep = setInterval(() => {
    records.sweep().catch((error: Error) => log.warn({ reason: error.message }, "not swept"));
  }, sweepEveryMs);
  sweep.unref();

  function hold(claim: HeldClaim, chargeId: string): Claim {
    held.add(claim);
    const { key, runner } = claim;
    const end = async (what: string, work: () => Promise<unknown>) => {
      try {
        await work();
      } catch (error) {
        log.error({ err: error, request_id: runner }, `an idempotency record was not ${what}`);
      }
      held.delete(claim);
    };
    return {
      chargeId,
      keep: (answer) =>
        end("kept", async () => {
          const kept = await records.keep(key, runner, answer);
          if (!kept) log.warn({ request_id: runner }, "the claim had passed to another run");
        }),
      release: () => end("released", () => records.release(key, runner)),
    };
  }

  return {
    async enter(key, requestId, signal) {
      try {
        const entered = await claimOrFind(records, key, requestId, signal);
        return typeof entered === "string" ? hold({ key, runner: requestId }, entered) : entered;
      } catch (error) {
        if (error instanceof GatewayError || signal.aborted) throw error;
        log.error({ err: error }, "an idempotency record could not be made");
        const message = "The key cannot be recorded now, so the request did not run. Retry soon.";
        throw new GatewayError("no_provider_available", message, { cause: error });
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

/** Answers the charge id of a new claim, or the record that answers the request. */
async function claimOrFind(
  records: IdempotencyRecords,
  key: RequestKey,
  requestId: string,
  signal: AbortSignal,
): Promise<string | FoundRecord> {
  const deadline = performance.now() + maxWaitMs;
  let pauseMs = firstPauseMs;
  let chargeId = await records.claim(key, requestId);
  while (chargeId === undefined) {
    const found = await records.find(key);
    if (found !== undefined && found.state !== "free") {
      if (!found.sameRequest) throw reused();
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

function reused(): GatewayError {
  const message = "This Idempotency-Key came with another request before. Use a new one.";
  return new GatewayError("idempotency_key_reused", message);
}

function inUse(): GatewayError {
  const message = "A request with this Idempotency-Key still runs. Retry to get its answer.";
  return new GatewayError("idempotency_key_in_use", message, { retryAfterSeconds });
}
