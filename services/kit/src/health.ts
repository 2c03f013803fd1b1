import { Health, HealthCheckResponse_ServingStatus } from "@tollgate/proto/grpc/health/v1/health";
import { type Offer, offer } from "./rpc/implementation.ts";

/** The standard health service: a process that answers is serving. */
export function healthOffer(): Offer {
  return offer(Health, {
    async check() {
      return { status: HealthCheckResponse_ServingStatus.SERVING };
    },
  });
}
