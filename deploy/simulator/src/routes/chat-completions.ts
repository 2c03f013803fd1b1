import type { Call, Route } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import { sendCompletion } from "../chat/completion.ts";
import { generate } from "../chat/generation.ts";
import { type ChatRequest, chatRequest, summarize } from "../chat/request.ts";
import { sendStream } from "../chat/stream.ts";
import { type Commands, NO_COMMANDS } from "../commands.ts";
import { sendError, sendInvalidRequest } from "../error-response.ts";
import { injectFaults } from "../faults.ts";
import { readJsonBody } from "../json-body.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";

export const chatCompletions: Route = {
  method: "POST",
  path: "/v1/chat/completions",
  async handle(call) {
    const { isTooLarge, value, recordable } = await readJsonBody(call.request);
    const parsed = chatRequest.safeParse(value);
    const recorded = recordCall(call, parsed.success ? parsed.data : summarize(value), recordable);
    if (isTooLarge) {
      sendError(call, { status: 413, message: "the body is too large" }, recorded);
    } else if (value === undefined) {
      sendError(call, { status: 400, message: "the body is not valid JSON" }, recorded);
    } else if (!parsed.success) {
      sendInvalidRequest(call, parsed.error, recorded);
    } else {
      const { model, metadata } = parsed.data;
      await runCommanded(call, recorded, { model, simulate: metadata?.simulate }, (commands) =>
        respond(call, recorded, commands, parsed.data),
      );
    }
  },
};

async function respond(
  call: Call,
  recorded: RecordedCall,
  commands: Commands,
  request: ChatRequest,
): Promise<void> {
  if (commands !== NO_COMMANDS && (await injectFaults(call, recorded, commands))) return;
  const generation = generate(request, commands, recorded.seq);
  recorded.status = 200;
  recorded.promptTokens = generation.usage.promptTokens;
  const context = { call, recorded, request, commands, generation };
  await (request.stream ? sendStream(context) : sendCompletion(context));
}
