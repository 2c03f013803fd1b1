import type { JsonObject } from "@tollgate/core/json";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import type { CallOptions } from "@tollgate/rpc/implementation";
import type { z } from "zod";
import type { Principal } from "../auth/authenticate.ts";
import type { KeyedHandler } from "../http/handler.ts";
import { jsonType } from "../http/response.ts";
import type { HandlerRules } from "../routes/route-rules.ts";
import { validate, withoutNulls } from "../validation/validate.ts";
import { type BillableDependencies, billableHandler } from "./billable-handler.ts";

/** Longer than all slots of a chain together may take. */
const maxTimeoutMs = 15 * 60 * 1_000;

/** The fields that every such call to a service has. */
export interface JsonServiceCall {
  caller: Caller;
  alias: string;
  body: Uint8Array;
}

/**
 * Returns the handler of a billable route that responds to JSON with JSON. The schema may depend on
 * the body, by the alias in it that the principal may call. `forward` calls the service; it passes
 * `call` the members that are sent to the provider.
 */
export function jsonHandler<Schema extends z.ZodObject<{ model: z.ZodString }>>(
  dependencies: BillableDependencies,
  rules: HandlerRules,
  schema: Schema | ((json: JsonObject, principal: Principal) => Schema),
  forward: (
    fields: z.output<Schema>,
    call: (members: JsonObject) => JsonServiceCall,
    options: CallOptions,
  ) => Promise<{ body: Uint8Array }>,
): KeyedHandler {
  const timeoutMs = Math.min(maxTimeoutMs, dependencies.maxResponseMs);
  return billableHandler(dependencies, rules, {
    parse(json, _body, principal) {
      const chosen = typeof schema === "function" ? schema(json, principal) : schema;
      const fields = validate(chosen, withoutNulls(chosen, json));
      return async (caller, options) => {
        const call = ({ model: _alias, ...members }: JsonObject) => ({
          caller,
          alias: fields.model,
          body: Buffer.from(JSON.stringify(members)),
        });
        const response = await forward(fields, call, { ...options, timeoutMs });
        return { contentType: jsonType, body: response.body };
      };
    },
  });
}
