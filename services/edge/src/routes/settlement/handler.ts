import { nanoUsdJson } from "@tollgate/core/money";
import type { z } from "zod";
import type { KeyedHandler } from "../../http/handler.ts";
import { parseJsonObject } from "../../http/json-body.ts";
import { readBody } from "../../http/read-body.ts";
import { writeJson } from "../../http/response.ts";
import { validate } from "../../validation/validate.ts";
import type { RouteDependencies } from "../dependencies.ts";
import { settlementRequestSchema, type settlementSchema } from "./schema.ts";

/** POST /v1/hf/billing. Returns the cost of requests of the key's settlement channel. */
export function getSettlement({ bodies, services }: RouteDependencies): KeyedHandler {
  return async (context, { accountId, keyId }) => {
    const body = await bodies.hold(keyId, async (reservation) =>
      parseJsonObject(await readBody(context, reservation)),
    );
    const { requestIds } = validate(settlementRequestSchema, body);
    const { requests } = await services.billing.lookUpSettlement({ accountId, requestIds });
    const entries = requests.map(({ requestId, costNanoUsd }) => ({
      requestId,
      costNanoUsd: nanoUsdJson(costNanoUsd),
    }));
    const settlement: z.input<typeof settlementSchema> = {
      requests: entries.length === 0 ? null : entries,
    };
    writeJson(context, settlement);
  };
}
