import { z } from "zod";
import { type Call, isAuthorized, namesOf, type Route, untilClientLeaves } from "./call.ts";
import { type Commands, NO_COMMANDS, readCommands } from "./commands.ts";
import { answerError } from "./error-answer.ts";
import { meetFaults } from "./faults.ts";
import type { JournalEntry } from "./journal.ts";
import { readBody } from "./read-body.ts";
import { sendJson } from "./send-json.ts";

/** Twice what the gateway takes, so that its own limit is the one that is met. */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

/** Larger bodies are not kept in the journal. */
const KEPT_BODY_LIMIT_BYTES = 1024 * 1024;

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
      const raw = await readBody(call.request, BODY_LIMIT_BYTES);
      const body = raw && parseJson(raw);
      const parsed = schema.safeParse(body);
      const isKept = raw !== undefined && raw.length <= KEPT_BODY_LIMIT_BYTES;
      const entry = openEntry(call, labels.parse(body), isKept ? body : undefined);
      if (!parsed.success) {
        const issue = parsed.error.issues[0];
        const param = issue?.path.join(".") ?? "";
        answerError(call, { status: 400, message: `${param}: ${issue?.message}`, param }, entry);
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

/** Notes a call in the journal. */
export function openEntry(call: Call, { model }: { model: string }, body: unknown): JournalEntry {
  return call.world.journal.open({
    at: call.world.nowMs(),
    route: call.path,
    model,
    stream: false,
    user: null,
    authorized: isAuthorized(call.request),
    ...namesOf(call.request),
    body,
  });
}

function parseJson(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return undefined;
  }
}
