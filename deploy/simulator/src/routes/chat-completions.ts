import { type Call, isAuthorized, namesOf, type Route, untilClientLeaves } from "../call.ts";
import { sendCompletion } from "../chat/completion.ts";
import { generate } from "../chat/generation.ts";
import { type ChatRequest, chatRequest, labelsOf } from "../chat/request.ts";
import { sendStream } from "../chat/stream.ts";
import { NO_COMMANDS, readCommands } from "../commands.ts";
import { answerError } from "../error-answer.ts";
import { meetFaults } from "../faults.ts";
import type { JournalEntry } from "../journal.ts";
import { readBody } from "../read-body.ts";

/** Twice what the gateway takes, so that its own limit is the one that is met. */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

/** Larger bodies are not kept in the journal. */
const KEPT_BODY_LIMIT_BYTES = 1024 * 1024;

export const chatCompletions: Route = {
  method: "POST",
  path: "/v1/chat/completions",
  async handle(call) {
    const raw = await readBody(call.request, BODY_LIMIT_BYTES);
    const body = raw && parseJson(raw);
    const parsed = chatRequest.safeParse(body);
    const labels = parsed.success ? parsed.data : labelsOf(body);
    const entry = call.world.journal.open({
      at: call.world.nowMs(),
      route: call.path,
      model: labels.model,
      stream: labels.stream ?? false,
      user: labels.user ?? null,
      authorized: isAuthorized(call.request),
      ...namesOf(call.request),
      body: raw && raw.length <= KEPT_BODY_LIMIT_BYTES ? body : undefined,
    });
    if (raw === undefined) {
      answerError(call, { status: 413, message: "the body is too large" }, entry);
    } else if (body === undefined) {
      answerError(call, { status: 400, message: "the body is not valid JSON" }, entry);
    } else if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const param = issue?.path.join(".") ?? "";
      answerError(call, { status: 400, message: `${param}: ${issue?.message}`, param }, entry);
    } else {
      await untilClientLeaves(call, entry, () => answer(call, entry, parsed.data));
    }
  },
};

function parseJson(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return undefined;
  }
}

async function answer(call: Call, entry: JournalEntry, request: ChatRequest): Promise<void> {
  const commands = readCommands(request.model, request.metadata?.simulate);
  if ("problem" in commands) {
    answerError(call, { status: 400, message: commands.problem, code: "bad_command" }, entry);
    return;
  }
  if (commands !== NO_COMMANDS && (await meetFaults(call, entry, commands))) return;
  const generation = generate(request, commands, entry.seq);
  entry.status = 200;
  entry.promptTokens = generation.usage.promptTokens;
  const order = { call, entry, request, commands, generation };
  await (request.stream ? sendStream(order) : sendCompletion(order));
}
