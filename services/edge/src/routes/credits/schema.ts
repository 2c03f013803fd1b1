import { z } from "zod";
import { unixSeconds, usd } from "../../openapi/response-fields.ts";

export const creditSummarySchema = z.object({
  object: z.literal("credit_summary"),
  currency: z.literal("USD"),
  balance: usd,
  held: usd.describe(
    "The amount reserved for requests in progress and, briefly, for the next requests of a busy " +
      "account.",
  ),
  available: usd.describe("The amount that new requests can spend: `balance` minus `held`."),
  spend_30d: usd.describe("The amount spent in the period, the trailing 30 days."),
  period_start: unixSeconds,
  period_end: unixSeconds,
});
