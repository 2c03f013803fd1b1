import { invalidParam } from "@tollgate/core/errors";
import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";
import { settlementRequestSchema, settlementSchema } from "./schema.ts";

const requestId = "req_0199d1b2111172228333444455556666";

export const lookUpSettlementOperation: Operation = {
  id: "lookUpSettlement",
  tag: "Settlement",
  summary: "Look up the cost of requests",
  description:
    "Leaves out requests that are unknown, still running, or were settled more than about 30 " +
    "minutes ago. Lookups can be repeated.",
  body: {
    kind: "json",
    name: "SettlementRequest",
    schemas: [settlementRequestSchema],
    example: { requestIds: [requestId] },
  },
  responses: {
    200: jsonResponseDoc("Settlement", settlementSchema, "The cost of the requests.", {
      requests: [{ requestId, costNanoUsd: 2_000 }],
    }),
  },
  ownErrors: { invalid_param: invalidParam("requestIds", "must be an array of strings") },
};
