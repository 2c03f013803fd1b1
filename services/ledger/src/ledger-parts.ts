import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { GatewayError } from "@tollgate/core/errors";
import type pg from "pg";
import type { LedgerConfig } from "./config.ts";
import type { PrismaClient } from "./generated/client.ts";
import { orTimeout, type PendingCaptures } from "./pending-captures.ts";
import type { WalletLocks } from "./wallet-locks.ts";

/** What the calls of the service share. */
export interface LedgerParts {
  pool: pg.Pool;
  prisma: PrismaClient;
  config: LedgerConfig;
  captures: PendingCaptures;
  locks: WalletLocks;
  now(): Date;
  /** See `UsageConsumer.lag`. Without a broker, the events that this process has not captured yet. */
  queuedMessages(): number;
}

/**
 * Resolves when what is pending of an account, or of all, is captured, or a second has passed. A read
 * that follows a request then includes all usage that this replica has received.
 */
export function flushCaptures({ captures }: LedgerParts, accountId?: string): Promise<void> {
  return orTimeout(captures.flush(accountId) ?? Promise.resolve());
}

/** Returns the time of a period's bound. Throws `invalid_param` without one. */
export function dateOfTimestamp(timestamp: Timestamp | undefined): Date {
  if (timestamp === undefined) {
    throw new GatewayError("invalid_param", "A period needs a start and an end.");
  }
  return timestampDate(timestamp);
}
