import { callerOf } from "../../auth/caller.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import { readModelQuery } from "../../http/query.ts";
import { jsonType, writeResponse } from "../../http/response.ts";
import type { RouteDependencies } from "../dependencies.ts";

const timeoutMs = 5 * 60 * 1_000;

/** GET /v1/audio/voices?model=. Does not check the wallet. */
export function listVoices({ services }: RouteDependencies): KeyedHandler {
  return async (context, principal) => {
    const alias = readModelQuery(context.req);
    const { signal } = context;
    const request = { alias, caller: callerOf(context, principal) };
    const { body } = await services.audio.listVoices(request, { signal, timeoutMs });
    writeResponse(context, { contentType: jsonType, body });
  };
}
