import { z } from "zod";
import { type Call, isAuthorized, namesOf, type Route, untilClientLeaves } from "./call.ts";
import { type Commands, NO_COMMANDS, readCommands } from "./commands.ts";
import { answerError, answerInvalid } from "./error-answer.ts";
import { meetFaults } from "./faults.ts";
import type { JournalEntry } from "./journal.ts";
import { readJsonBody } from "./json-body.ts";
import { sendJson } from "./send-json.ts";

const labels = z.object({ model: z.string().catch("") }).catch({ model: "" });

/** A call whose commands were read, and whose faults were met. */
export interface CommandedCall {
  call: Call;
  entry: JournalEntry;
  commands: Commands;
}

/** A POST route that takes JSON and obeys the commands of its model id. */
export function commandedRoute<Schema extends z.ZodType<{ model: string }>>(
  path: string,
  schema: Schema,
  answer: (commanded: CommandedCall, request: z.output<Schema>) => Promise<void>,
): Route {
  return {
    method: "POST",
    path,
    async handle(call) {
      const { value, kept } = await readJsonBody(call.request);
      const parsed = schema.safeParse(value);
      const entry = openEntry(call, labels.parse(value), kept);
      if (!parsed.success) {
        answerInvalid(call, parsed.error, entry);
        return;
      }
      const commands = readCommands(parsed.data.model, undefined);
      if ("problem" in commands) {
        answerError(call, { status: 400, message: commands.problem, code: "bad_command" }, entry);
        return;
      }
      await untilClientLeaves(call, entry, async () => {
        if (commands !== NO_COMMANDS && (await meetFaults(call, entry, commands))) return;
        entry.status = 200;
        await answer({ call, entry, commands }, parsed.data);
      });
    },
  };
}

/** The same for a route that answers with JSON. */
export function jsonRoute<Schema extends z.ZodType<{ model: string }>>(
  path: string,
  schema: Schema,
  answer: (request: z.output<Schema>, commands: Commands, seq: number) => object,
): Route {
  return commandedRoute(path, schema, async ({ call, entry, commands }, request) => {
    const value = answer(request, commands, entry.seq);
    // Indented, as no gateway would write it again.
    await sendJson(call, entry, commands, `${JSON.stringify(value, null, 1)}\n`);
  });
}

/** What the journal tells of a call's request without reading on. */
export interface Labels {
  model: string;
  stream?: boolean | null | undefined;
  user?: string | null | undefined;
}

/** Notes a call in the journal. */
export function openEntry(
  call: Call,
  { model, stream, user }: Labels,
  body: unknown,
): JournalEntry {
  return call.world.journal.open({
    at: call.world.nowMs(),
    route: call.path,
    model,
    stream: stream ?? false,
    user: user ?? null,
    authorized: isAuthorized(call.request),
    ...namesOf(call.request),
    body,
  });
}
