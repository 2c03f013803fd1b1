import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";

/** The operator's calls about requests and open holds. */
export const requestCalls = {
  listHolds: notImplemented,
  listRequests: notImplemented,
  getRequest: notImplemented,
  readOverview: notImplemented,
} satisfies Partial<Implementation<typeof OperatorService>>;

async function notImplemented(): Promise<never> {
  throw new Error("not implemented");
}
