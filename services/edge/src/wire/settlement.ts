import { GatewayError } from "@tollgate/core/errors";
import { nanoUsdJson } from "@tollgate/core/money";
import type { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import type { Client } from "@tollgate/rpc/implementation";
import { z } from "zod";
import { writeJson } from "../answer.ts";
import { type Authenticate, settlementChannel } from "../auth.ts";
import type { Route } from "../exchange.ts";
import { parseJsonObject, readBody } from "../json-body.ts";
import { requestId as id } from "../openapi/answer-fields.ts";
import { jsonAnswer, type Operation } from "../openapi/operation.ts";
import { refuseQuery } from "../query.ts";
import { validate } from "../validation.ts";
import { text } from "./fields.ts";
import { listOf } from "./lists.ts";

const maxIds = 10_000;

/** POST /v1/hf/billing: what the requests of a settlement channel cost, for its key alone. */
export function lookUpSettlement(
  authenticate: Authenticate,
  billing: Client<typeof BillingService>,
): Route {
  return async (exchange) => {
    const { accountId, channel } = await authenticate(exchange);
    if (channel !== settlementChannel) {
      const message = "This takes a settlement-channel key; the key that came is another kind.";
      throw new GatewayError("channel_key_required", message);
    }
    refuseQuery(exchange.req);
    const body = parseJsonObject(await readBody(exchange));
    const { requestIds } = validate(schema, body);
    const { requests } = await billing.lookUpSettlement({ accountId, requestIds });
    const entries = requests.map(({ requestId, costNanoUsd }) => ({
      requestId,
      costNanoUsd: nanoUsdJson(costNanoUsd),
    }));
    const answer: z.input<typeof settled> = { requests: entries.length === 0 ? null : entries };
    writeJson(exchange, answer);
  };
}

const schema = z.strictObject({
  requestIds: z
    .unknown()
    .refine(
      (ids) => !(Array.isArray(ids) && ids.length > maxIds),
      `must hold at most ${maxIds} ids`,
    )
    .pipe(
      listOf(text, "must be an array of strings").meta({
        maxItems: maxIds,
        description: "The `x-request-id`s to look up.",
      }),
    ),
});

const settled = z.object({
  requests: z
    .array(
      z.object({
        requestId: id,
        costNanoUsd: z.unknown().meta({
          type: "integer",
          minimum: 0,
          description: "Billionths of a US dollar. It does not change any more.",
        }),
      }),
    )
    .nullable()
    .describe("Those that can be told, in the order asked; null where there is none."),
});

export const lookUpSettlementOperation: Operation = {
  id: "lookUpSettlement",
  tag: "Settlement",
  summary: "Look up what requests cost",
  about:
    "Requests that are not known, still run, or were settled more than about half an hour ago " +
    "are left out. Asking again is safe.",
  access: "settlement key",
  body: {
    kind: "json",
    name: "SettlementRequest",
    schemas: [schema],
    example: { requestIds: ["req_0199d1b2111172228333444455556666"] },
  },
  answers: { 200: jsonAnswer("Settlement", settled, "What the requests cost.") },
  errors: ["invalid_json", "unknown_param", "invalid_param"],
};
