import { GatewayError } from "@tollgate/core/errors";
import { usdJson } from "@tollgate/core/money";
import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";
import { creditSummarySchema } from "./schema.ts";

export const getCreditsOperation: Operation = {
  id: "getCredits",
  tag: "Account",
  summary: "Get the credit balance",
  responses: {
    200: jsonResponseDoc("CreditSummary", creditSummarySchema, "The wallet of the key's account.", {
      object: "credit_summary",
      currency: "USD",
      balance: usdJson(9_974_276_000n),
      held: usdJson(1_500_000n),
      available: usdJson(9_972_776_000n),
      spend_30d: usdJson(25_724_000n),
      period_start: 1_793_383_201,
      period_end: 1_795_975_201,
    }),
  },
  errors: ["not_found"],
  ownErrors: {
    not_found: new GatewayError("not_found", "The account of this key has no wallet."),
  },
};
