import { nanos, RetentionPolicy, StorageType, type StreamConfig } from "nats";

const dayMs = 24 * 60 * 60 * 1_000;

/** The subject of usage events, and the durable consumer of the ledger. */
export const usageSubject = "tollgate.usage.v1";
export const usageConsumerName = "ledger";

/**
 * The JetStream stream of usage events. Its retention is by limits and not as a work queue: a work
 * queue forgets the id of an acknowledged message, and would accept its duplicate after a restart.
 */
export const usageStream = {
  name: "TOLLGATE_USAGE",
  subjects: [usageSubject],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  max_age: nanos(7 * dayMs),
  duplicate_window: nanos(120_000),
} satisfies Partial<StreamConfig>;
