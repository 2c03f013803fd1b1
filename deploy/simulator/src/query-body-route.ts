import type { z } from "zod";
import type { SimulatorCall, SimulatorRoute } from "./call.ts";
import { sendInvalidRequest } from "./error-response.ts";
import { injectFaults } from "./faults.ts";
import { readJsonBody } from "./json-body.ts";
import type { CommandedCall } from "./json-route.ts";
import { recordCall, runCommanded } from "./recorded-call.ts";

/** What a POST route takes from its path, its query and its JSON body, which are validated together. */
export interface QueryBodyRoute<Schema extends z.ZodType> {
  path: string;
  /** Validates `{ query, body }`. */
  schema: Schema;
  /** Returns the model id, which has the commands. */
  modelOf(request: z.output<Schema>, call: SimulatorCall): string;
  respond(commanded: CommandedCall, request: z.output<Schema>): Promise<void>;
}

/** Creates a POST route for a vendor whose requests are in the query, too. */
export function queryBodyRoute<Schema extends z.ZodType>({
  path,
  schema,
  modelOf,
  respond,
}: QueryBodyRoute<Schema>): SimulatorRoute {
  return {
    method: "POST",
    path,
    async handle(call) {
      const { value, recordable } = await readJsonBody(call.request);
      const query = Object.fromEntries(new URLSearchParams(call.search));
      const parsed = schema.safeParse({ query, body: value });
      const model = parsed.success ? modelOf(parsed.data, call) : "";
      const recorded = recordCall(call, { model }, { query, body: recordable });
      if (!parsed.success) return sendInvalidRequest(call, parsed.error, recorded);
      await runCommanded(call, recorded, { model }, async (commands) => {
        if (await injectFaults(call, recorded, commands)) return;
        recorded.status = 200;
        await respond({ call, recorded, commands }, parsed.data);
      });
    },
  };
}
