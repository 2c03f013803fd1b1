import { GatewayError } from "@tollgate/core/errors";
import { usdJson } from "@tollgate/core/money";
import type { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import type { Client } from "@tollgate/rpc/implementation";
import { z } from "zod";
import { writeJson } from "../answer.ts";
import type { Authenticate } from "../auth.ts";
import type { Route } from "../exchange.ts";
import { unixSeconds, usd } from "../openapi/answer-fields.ts";
import { jsonAnswer, type Operation } from "../openapi/operation.ts";
import { toUnixSeconds } from "./unix-seconds.ts";

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
    writeJson(exchange, {
      object: "credit_summary",
      currency: "USD",
      balance: usdJson(balanceNanoUsd),
      held: usdJson(heldNanoUsd),
      available: usdJson(balanceNanoUsd - heldNanoUsd),
      spend_30d: usdJson(credits.spend30dNanoUsd),
      period_start: toUnixSeconds(credits.periodStart),
      period_end: toUnixSeconds(credits.periodEnd),
    } satisfies z.input<typeof summary>);
  };
}

const summary = z.object({
  object: z.literal("credit_summary"),
  currency: z.literal("USD"),
  balance: usd,
  held: usd.describe(
    "Set aside for requests in flight and, for a moment, the next of a busy account.",
  ),
  available: usd.describe("What new requests may cost: the balance without what is held."),
  spend_30d: usd.describe("What was spent in the period, the trailing 30 days."),
  period_start: unixSeconds,
  period_end: unixSeconds,
});

export const getCreditsOperation: Operation = {
  id: "getCredits",
  tag: "Account",
  summary: "Read the wallet",
  access: "key",
  answers: { 200: jsonAnswer("CreditSummary", summary, "The wallet of the key's account.") },
  errors: ["not_found"],
};
