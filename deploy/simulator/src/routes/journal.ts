import { z } from "zod";
import type { Route } from "../call.ts";
import { answerError } from "../error-answer.ts";

const filter = z.strictObject({
  user: z.string().optional(),
  since: z.coerce.number().int().min(0).optional(),
});

/** The journal's entries, oldest first, as a JSON array. */
export const journalRead: Route = {
  method: "GET",
  path: "/_simulator/journal",
  handle: (call) => {
    const wanted = filter.safeParse(Object.fromEntries(new URLSearchParams(call.search)));
    if (!wanted.success) {
      answerError(call, { status: 400, message: "the journal takes user and since (a seq)" });
      return;
    }
    call.response.writeHead(200, { "content-type": "application/json" });
    call.response.end(JSON.stringify(call.world.journal.list(wanted.data)));
  },
};

export const journalClear: Route = {
  method: "DELETE",
  path: "/_simulator/journal",
  handle: ({ world, response }) => {
    world.journal.clear();
    response.writeHead(204);
    response.end();
  },
};
