import type { AudioService } from "@tollgate/proto/tollgate/v1/audio";
import type { Client } from "@tollgate/rpc/implementation";
import { z } from "zod";
import { jsonType, writeWhole } from "../answer.ts";
import type { Authenticate } from "../auth.ts";
import type { Route } from "../exchange.ts";
import { jsonAnswer, modelParameter, type Operation } from "../openapi/operation.ts";
import { readModelQuery } from "../query.ts";

const timeoutMs = 5 * 60 * 1_000;

/** GET /v1/audio/voices?model=: the voices of a speech alias, also for an empty wallet. */
export function listVoices(authenticate: Authenticate, audio: Client<typeof AudioService>): Route {
  return async (exchange) => {
    await authenticate(exchange);
    const alias = readModelQuery(exchange.req);
    const { signal } = exchange;
    const { body } = await audio.listVoices({ alias }, { signal, timeoutMs });
    writeWhole(exchange, { contentType: jsonType, body }, () => ({}));
  };
}

export const listVoicesOperation: Operation = {
  id: "listVoices",
  tag: "Audio",
  summary: "List a speech model's voices",
  about: "Costs nothing, and is answered for an empty wallet too.",
  access: "key",
  parameters: [modelParameter("speech")],
  answers: {
    200: jsonAnswer("Voices", z.unknown(), "The provider's catalog of voices as it came."),
  },
  errors: [
    "unknown_param",
    "invalid_param",
    "model_not_found",
    "upstream_rejected",
    "no_provider_available",
  ],
};
