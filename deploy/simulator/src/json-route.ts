import { z } from "zod";
import type { SimulatorCall, SimulatorRoute } from "./call.ts";
import type { RecordedCall } from "./call-log.ts";
import { type Commands, NO_COMMANDS } from "./commands.ts";
import { sendInvalidRequest } from "./error-response.ts";
import { injectFaults } from "./faults.ts";
import { readJsonBody } from "./json-body.ts";
import { recordCall, runCommanded } from "./recorded-call.ts";
import { prettyJson, sendJson } from "./send-json.ts";

const summary = z
  .object({ model: z.string().catch(""), n: z.number().optional().catch(undefined) })
  .catch({ model: "", n: undefined });

/** A call whose commands are read and whose faults are already injected. */
export interface CommandedCall {
  call: SimulatorCall;
  recorded: RecordedCall;
  commands: Commands;
}

/** Creates a POST route that takes JSON and obeys the commands in its model id. */
export function commandedRoute<Schema extends z.ZodType<{ model: string }>>(
  path: string,
  schema: Schema,
  respond: (commanded: CommandedCall, request: z.output<Schema>) => Promise<void>,
): SimulatorRoute {
  return {
    method: "POST",
    path,
    async handle(call) {
      const { value, recordable } = await readJsonBody(call.request);
      const parsed = schema.safeParse(value);
      const recorded = recordCall(call, summary.parse(value), recordable);
      if (!parsed.success) {
        sendInvalidRequest(call, parsed.error, recorded);
        return;
      }
      await runCommanded(call, recorded, { model: parsed.data.model }, async (commands) => {
        if (commands !== NO_COMMANDS && (await injectFaults(call, recorded, commands))) return;
        recorded.status = 200;
        await respond({ call, recorded, commands }, parsed.data);
      });
    },
  };
}

/** Creates a `commandedRoute` that responds with the JSON value that `createValue` returns. */
export function jsonRoute<Schema extends z.ZodType<{ model: string }>>(
  path: string,
  schema: Schema,
  createValue: (request: z.output<Schema>, commands: Commands, seq: number) => object,
): SimulatorRoute {
  return commandedRoute(path, schema, async ({ call, recorded, commands }, request) => {
    const value = createValue(request, commands, recorded.seq);
    await sendJson(call, recorded, commands, prettyJson(value));
  });
}
