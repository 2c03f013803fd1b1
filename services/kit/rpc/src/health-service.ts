import { Health, HealthCheckResponse_ServingStatus } from "@tollgate/proto/grpc/health/v1/health";
import { bindService, type ServiceBinding } from "./implementation.ts";

/** Binds the standard gRPC health service. It reports SERVING until `isUnavailable` returns true. */
export function bindHealthService(isUnavailable: () => boolean): ServiceBinding {
  return bindService(Health, {
    async check() {
      const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus;
      return { status: isUnavailable() ? NOT_SERVING : SERVING };
    },
  });
}
