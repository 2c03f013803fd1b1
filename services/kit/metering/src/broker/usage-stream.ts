import { nanos, RetentionPolicy, StorageType, type StreamConfig } from "nats";

const dayMs = 24 * 60 * 60 * 1_000;

/** Where usage events travel, and the durable consumer by which the ledger reads them. */
export const usageSubject = "tollgate.usage.v1";
export const usageConsumer = "ledger";

/**
 * The stream keeps by limits, not as a work queue: a work queue forgets the id of a message that
 * was acknowledged, and would let its duplicate in after a restart.
 */
export const usageStream = {
  name: "TOLLGATE_USAGE",
  subjects: [usageSubject],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  max_age: nanos(7 * dayMs),
  duplicate_window: nanos(120_000),
} satisfies Partial<StreamConfig>;
