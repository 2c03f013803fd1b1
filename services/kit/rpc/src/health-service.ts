import { Health, HealthCheckResponse_ServingStatus } from "@tollgate/proto/grpc/health/v1/health";
import { type Offer, offer } from "./implementation.ts";

/** The standard gRPC health service. Reports SERVING until `isDraining` returns true. */
export function healthOffer(isDraining: () => boolean): Offer {
  return offer(Health, {
    async check() {
      const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus;
      return { status: isDraining() ? NOT_SERVING : SERVING };
    },
  });
}
