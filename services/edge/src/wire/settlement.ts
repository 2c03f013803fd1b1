import { GatewayError, internalError, PeerError } from "@tollgate/kit/errors";
import { nanoUsdJson } from "@tollgate/kit/money";
import type { Client } from "@tollgate/kit/rpc/implementation";
import type { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import { z } from "zod";
import { type Authenticate, settlementChannel } from "../auth.ts";
import type { Route } from "../exchange.ts";
import { parseJsonObject, readBody } from "../json-body.ts";
import { refuseQuery } from "../query.ts";
import { validate } from "../validation.ts";
import { text } from "./fields.ts";

const maxIds = 10_000;

/** POST /v1/hf/billing: what the requests of a settlement channel cost, for its key alone. */
export function lookUpSettlement(
  authenticate: Authenticate,
  billing: Client<typeof BillingService>,
): Route {
  return async (exchange) => {
    try {
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
      exchange.res.json({ requests: entries.length === 0 ? null : entries });
    } catch (error) {
      // No provider takes part here, so one that is away is no reason to give.
      throw error instanceof PeerError ? internalError(error) : error;
    }
  };
}

const schema = z.strictObject({
  requestIds: z
    .unknown()
    .refine(
      (ids) => !(Array.isArray(ids) && ids.length > maxIds),
      `must hold at most ${maxIds} ids`,
    )
    .pipe(z.array(text, { error: "must be an array of strings" })),
});
