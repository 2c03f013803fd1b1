import { z } from "zod";
import type { SimulatorRoute } from "../call.ts";
import { sendProviderError } from "../error-response.ts";

const filter = z.strictObject({
  user: z.string().optional(),
  since: z.coerce.number().int().min(0).optional(),
});

/** Sends the recorded calls as a JSON array, oldest first. */
export const listCalls: SimulatorRoute = {
  method: "GET",
  path: "/_simulator/calls",
  handle: (call) => {
    const parsed = filter.safeParse(Object.fromEntries(new URLSearchParams(call.search)));
    if (!parsed.success) {
      sendProviderError(call, { status: 400, message: "the query takes user and since (a seq)" });
      return;
    }
    call.response.writeHead(200, { "content-type": "application/json" });
    call.response.end(JSON.stringify(call.state.calls.list(parsed.data)));
  },
};

export const clearCalls: SimulatorRoute = {
  method: "DELETE",
  path: "/_simulator/calls",
  handle: ({ state, response }) => {
    state.calls.clear();
    response.writeHead(204);
    response.end();
  },
};
