import type { SimulatorCall, SimulatorRoute } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import { sendCompletion } from "../chat/completion.ts";
import { generate, type Usage } from "../chat/generation.ts";
import { type ChatRequest, chatRequest, summarize } from "../chat/request.ts";
import { resultProblem } from "../chat/result-problem.ts";
import { sendStream } from "../chat/stream.ts";
import { type Commands, NO_COMMANDS } from "../commands.ts";
import { type ProviderError, sendInvalidRequest, sendProviderError } from "../error-response.ts";
import { injectFaults } from "../faults.ts";
import { readJsonBody } from "../json-body.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";

/** What a vendor of OpenAI's wire does its own way. */
export interface ChatWire {
  /** Returns the error of a request that the vendor refuses; undefined where it takes it. */
  problemOf(request: object): ProviderError | undefined;
  /** Returns the vendor's usage block. */
  usageOf(usage: Usage, request: object): Record<string, unknown>;
}

export const chatCompletions: SimulatorRoute = chatRoute("/v1/chat/completions");

/** Creates the route of chat completions of a vendor. */
export function chatRoute(path: string, wire?: ChatWire): SimulatorRoute {
  return {
    method: "POST",
    path,
    async handle(call) {
      const { isTooLarge, value, recordable } = await readJsonBody(call.request);
      const parsed = chatRequest.safeParse(value);
      const request = parsed.success ? parsed.data : summarize(value);
      const recorded = recordCall(call, request, recordable);
      const problem = parsed.success
        ? (wire?.problemOf(value as object) ?? resultProblem(parsed.data.messages))
        : undefined;
      if (isTooLarge) {
        sendProviderError(call, { status: 413, message: "the body is too large" }, recorded);
      } else if (value === undefined) {
        sendProviderError(call, { status: 400, message: "the body is not valid JSON" }, recorded);
      } else if (!parsed.success) {
        sendInvalidRequest(call, parsed.error, recorded);
      } else if (problem !== undefined) {
        sendProviderError(call, problem, recorded);
      } else {
        const { model, metadata } = parsed.data;
        const usageOf = wire && ((usage: Usage) => wire.usageOf(usage, value as object));
        await runCommanded(call, recorded, { model, simulate: metadata?.simulate }, (commands) =>
          respond(call, recorded, commands, parsed.data, usageOf),
        );
      }
    },
  };
}

async function respond(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  request: ChatRequest,
  usageOf: ((usage: Usage) => Record<string, unknown>) | undefined,
): Promise<void> {
  const generation = generate(request, commands, recorded.seq);
  recorded.promptTokens = generation.usage.promptTokens;
  if (commands !== NO_COMMANDS && (await injectFaults(call, recorded, commands))) return;
  recorded.status = 200;
  const usage = usageOf && { usage_block: commands.usage_block ?? usageOf(generation.usage) };
  const context = { call, recorded, request, commands: { ...commands, ...usage }, generation };
  await (request.stream ? sendStream(context) : sendCompletion(context));
}
