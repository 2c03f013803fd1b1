import { type Call, type Route, untilClientLeaves } from "../call.ts";
import { sendCompletion } from "../chat/completion.ts";
import { generate } from "../chat/generation.ts";
import { type ChatRequest, chatRequest, labelsOf } from "../chat/request.ts";
import { sendStream } from "../chat/stream.ts";
import { NO_COMMANDS, readCommands } from "../commands.ts";
import { answerError, answerInvalid } from "../error-answer.ts";
import { meetFaults } from "../faults.ts";
import type { JournalEntry } from "../journal.ts";
import { readJsonBody } from "../json-body.ts";
import { openEntry } from "../json-route.ts";

export const chatCompletions: Route = {
  method: "POST",
  path: "/v1/chat/completions",
  async handle(call) {
    const { isTooLarge, value, kept } = await readJsonBody(call.request);
    const parsed = chatRequest.safeParse(value);
    const entry = openEntry(call, parsed.success ? parsed.data : labelsOf(value), kept);
    if (isTooLarge) {
      answerError(call, { status: 413, message: "the body is too large" }, entry);
    } else if (value === undefined) {
      answerError(call, { status: 400, message: "the body is not valid JSON" }, entry);
    } else if (!parsed.success) {
      answerInvalid(call, parsed.error, entry);
    } else {
      await untilClientLeaves(call, entry, () => answer(call, entry, parsed.data));
    }
  },
};

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
