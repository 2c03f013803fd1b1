import type { JsonObject } from "@tollgate/core/json";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import type { CallOptions } from "@tollgate/rpc/implementation";
import type { z } from "zod";
import { jsonType } from "../answer.ts";
import type { BillableRoute } from "../billable.ts";
import { validate, withoutNulls } from "../validation.ts";

/** Longer than every slot of a chain may take. */
const timeoutMs = 15 * 60 * 1_000;

/** What every call of a route that answers one JSON with another carries. */
export interface JsonCall {
  caller: Caller;
  alias: string;
  body: Uint8Array;
}

/**
 * A route that answers one JSON with another. Its schema may depend on the body, by the alias that
 * it names. `forward` hands the call to its service; by the second parameter it may leave fields
 * out of the body that goes on to the provider.
 */
export function jsonRoute<Schema extends z.ZodObject<{ model: z.ZodString }>>(
  schema: Schema | ((body: JsonObject) => Schema),
  forward: (
    fields: z.output<Schema>,
    call: (members: JsonObject) => JsonCall,
    options: CallOptions,
  ) => Promise<{ body: Uint8Array }>,
): BillableRoute {
  return {
    parse(body) {
      const taken = typeof schema === "function" ? schema(body) : schema;
      const fields = validate(taken, withoutNulls(taken, body));
      return async (caller, options) => {
        const call = ({ model: _alias, ...members }: JsonObject) => ({
          caller,
          alias: fields.model,
          body: Buffer.from(JSON.stringify(members)),
        });
        const answer = await forward(fields, call, { ...options, timeoutMs });
        return { contentType: jsonType, body: answer.body };
      };
    },
  };
}
