import { z } from "zod";
import { type Call, isAuthorized, type Route, untilClientLeaves } from "./call.ts";
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

/** A POST route that answers one JSON with another, and obeys the commands of its model id. */
export function jsonRoute<Schema extends z.ZodType<{ model: string }>>(
  path: string,
  schema: Schema,
  answer: (request: z.output<Schema>, commands: Commands, seq: number) => object,
): Route {
  return {
    method: "POST",
    path,
    async handle(call) {
      const raw = await readBody(call.request, BODY_LIMIT_BYTES);
      const body = raw && parseJson(raw);
      const parsed = schema.safeParse(body);
      const entry = openEntry(call, raw, body);
      if (!parsed.success) {
        const issue = parsed.error.issues[0];
        const param = issue?.path.join(".") ?? "";
        answerError(call, { status: 400, message: `${param}: ${issue?.message}`, param }, entry);
        return;
      }
      await untilClientLeaves(call, entry, async () => {
        const commands = readCommands(parsed.data.model, undefined);
        if ("problem" in commands) {
          answerError(call, { status: 400, message: commands.problem, code: "bad_command" }, entry);
          return;
        }
        if (commands !== NO_COMMANDS && (await meetFaults(call, entry, commands))) return;
        entry.status = 200;
        const value = answer(parsed.data, commands, entry.seq);
        // Indented, as no gateway would write it again.
        await sendJson(call, entry, commands, `${JSON.stringify(value, null, 1)}\n`);
      });
    },
  };
}

function openEntry(call: Call, raw: Buffer | undefined, body: unknown): JournalEntry {
  return call.world.journal.open({
    at: call.world.nowMs(),
    route: call.path,
    model: labels.parse(body).model,
    stream: false,
    user: null,
    authorized: isAuthorized(call),
    body: raw && raw.length <= KEPT_BODY_LIMIT_BYTES ? body : undefined,
  });
}

function parseJson(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return undefined;
  }
}
