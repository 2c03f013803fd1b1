import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { GatewayError } from "@tollgate/kit/errors";
import { usdJson } from "@tollgate/kit/money";
import type { Client } from "@tollgate/kit/rpc/implementation";
import type { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import type { Authenticate } from "../auth.ts";
import type { Route } from "../exchange.ts";

/** GET /v1/credits: the account's wallet and what it spent in the trailing 30 days. */
export function getCredits(
  authenticate: Authenticate,
  billing: Client<typeof BillingService>,
): Route {
  return async (exchange) => {
    const { accountId } = await authenticate(exchange);
    const { credits } = await billing.getCredits({ accountId });
    if (credits === undefined) {
      throw new GatewayError("not_found", "The key's account has no wallet.");
    }
    const { balanceNanoUsd, heldNanoUsd } = credits;
    exchange.res.json({
      object: "credit_summary",
      currency: "USD",
      balance: usdJson(balanceNanoUsd),
      held: usdJson(heldNanoUsd),
      available: usdJson(balanceNanoUsd - heldNanoUsd),
      spend_30d: usdJson(credits.spend30dNanoUsd),
      period_start: unixSeconds(credits.periodStart),
      period_end: unixSeconds(credits.periodEnd),
    });
  };
}

function unixSeconds(timestamp: Timestamp | undefined): number {
  return timestamp === undefined ? 0 : Math.floor(timestampMs(timestamp) / 1_000);
}
