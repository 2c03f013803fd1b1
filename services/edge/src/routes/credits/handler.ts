import { GatewayError } from "@tollgate/core/errors";
import { usdJson } from "@tollgate/core/money";
import type { z } from "zod";
import type { KeyedHandler } from "../../http/handler.ts";
import { writeJson } from "../../http/response.ts";
import { toUnixSeconds } from "../../http/unix-seconds.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { creditSummarySchema } from "./schema.ts";

/** GET /v1/credits */
export function getCredits({ services }: RouteDependencies): KeyedHandler {
  return async (context, { accountId }) => {
    const { credits } = await services.billing.getCredits({ accountId });
    if (credits === undefined) {
      throw new GatewayError("not_found", "The account of this key has no wallet.");
    }
    const { balanceNanoUsd, heldNanoUsd } = credits;
    writeJson(context, {
      object: "credit_summary",
      currency: "USD",
      balance: usdJson(balanceNanoUsd),
      held: usdJson(heldNanoUsd),
      available: usdJson(balanceNanoUsd - heldNanoUsd),
      spend_30d: usdJson(credits.spend30dNanoUsd),
      period_start: toUnixSeconds(credits.periodStart),
      period_end: toUnixSeconds(credits.periodEnd),
    } satisfies z.input<typeof creditSummarySchema>);
  };
}
