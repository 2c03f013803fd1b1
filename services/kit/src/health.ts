import { Health, HealthCheckResponse_ServingStatus } from "@tollgate/proto/grpc/health/v1/health";
import type { Readiness } from "./operations/readiness.ts";
import { type Offer, offer } from "./rpc/implementation.ts";

/** The standard health service: a process is serving until it is told to end. */
export function healthOffer(readiness: Readiness): Offer {
  return offer(Health, {
    async check() {
      const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus;
      return { status: readiness.state() === "draining" ? NOT_SERVING : SERVING };
    },
  });
}
