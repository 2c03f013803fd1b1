import { create } from "@bufbuild/protobuf";
import { type Caller, CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import type { Principal } from "./authenticate.ts";

/**
 * Returns the caller of a request, which every service receives. `chargeId` identifies the charge of
 * a request with an idempotency key.
 */
export function callerOf(
  { requestId }: { requestId: string },
  { keyId, accountId, admission, plan, models, isLimited }: Principal,
  chargeId = "",
): Caller {
  return create(CallerSchema, {
    requestId,
    chargeId,
    keyId,
    accountId,
    admission,
    plan,
    models,
    isLimited,
  });
}
