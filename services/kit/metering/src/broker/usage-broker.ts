import { StartError } from "@tollgate/core/errors";
import type { PeerAuth } from "@tollgate/core/peer-auth";
import type { Broker } from "@tollgate/runtime/broker/connection";
import { type BatchMac, createBatchMac } from "./batch-mac.ts";

/** A connection to the broker, and the MAC of the usage events that are sent there. */
export interface UsageBroker {
  broker: Broker;
  mac: BatchMac;
}

/**
 * Returns the broker of usage events; undefined where there is none. Throws a StartError where
 * there is no secret that tells the fleet's events from those of other clients of the broker.
 */
export function usageBrokerOf(
  broker: Broker | undefined,
  { secret }: PeerAuth,
): UsageBroker | undefined {
  if (broker === undefined) return undefined;
  if (secret !== undefined) return { broker, mac: createBatchMac(secret) };
  throw new StartError("NATS_URL: needs TOLLGATE_FLEET_SECRET, which authenticates usage events");
}
