import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";
import { creditSummarySchema } from "./schema.ts";

export const getCreditsOperation: Operation = {
  id: "getCredits",
  tag: "Account",
  summary: "Get the credit balance",
  responses: {
    200: jsonResponseDoc("CreditSummary", creditSummarySchema, "The wallet of the key's account."),
  },
  errors: ["not_found"],
};
