import type { ZodError } from "zod";
import type { SimulatorCall, SimulatorRoute } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import { type Commands, NO_COMMANDS } from "../commands.ts";
import { messagesPath, sendProviderError } from "../error-response.ts";
import { injectFaults } from "../faults.ts";
import { readJsonBody } from "../json-body.ts";
import { generateMessage } from "../messages/message.ts";
import { type MessagesRequest, messagesRequest } from "../messages/request.ts";
import { sendMessageStream } from "../messages/stream.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";
import { sendJson } from "../send-json.ts";

/** Anthropic's Messages API. Its commands are behind the model id. */
export const messages: SimulatorRoute = {
  method: "POST",
  path: messagesPath,
  async handle(call) {
    const { value, recordable } = await readJsonBody(call.request);
    const parsed = messagesRequest.safeParse(value);
    const { model, stream, metadata } = parsed.data ?? { model: "" };
    const recorded = recordCall(call, { model, stream, user: metadata?.user_id }, recordable);
    const { "x-api-key": key, "anthropic-version": version } = call.request.headers;
    if (!key) {
      sendProviderError(call, { status: 401, message: "x-api-key header is required" }, recorded);
    } else if (version !== "2023-06-01") {
      const message = "anthropic-version: header is required";
      sendProviderError(call, { status: 400, message }, recorded);
    } else if (parsed.data === undefined) {
      sendProviderError(call, { status: 400, message: messageProblem(parsed.error) }, recorded);
    } else {
      const request = parsed.data;
      await runCommanded(call, recorded, { model }, (commands) =>
        respondToMessage(call, recorded, commands, request),
      );
    }
  },
};

/** Returns what Anthropic's API says of a request that is not valid. */
export function messageProblem({ issues: [issue] }: ZodError): string {
  const names = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const path = [...(issue?.path ?? []), ...names].join(".");
  const problem = names.length > 0 ? "Extra inputs are not permitted" : issue?.message;
  return `${path}: ${problem}`;
}

/** Responds to a message as its commands say. */
export async function respondToMessage(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  request: MessagesRequest,
): Promise<void> {
  const message = generateMessage(request, commands, recorded.seq);
  const { id, content, stopReason, stopDetails, usage } = message;
  recorded.promptTokens = message.promptTokens;
  if (commands !== NO_COMMANDS && (await injectFaults(call, recorded, commands))) return;
  recorded.status = 200;
  const head = { id, type: "message", role: "assistant", model: request.model };
  if (request.stream) {
    await sendMessageStream(call, recorded, commands, message, head);
    return;
  }
  recorded.completionTokens = message.completionTokens;
  const stop = { stop_reason: stopReason, stop_sequence: null, stop_details: stopDetails };
  await sendJson(call, recorded, commands, JSON.stringify({ ...head, content, ...stop, usage }));
}
