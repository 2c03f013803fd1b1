import type { SimulatorCall, SimulatorRoute } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import { summarize } from "../chat/request.ts";
import { type Commands, NO_COMMANDS } from "../commands.ts";
import { type ProviderError, responsesPath, sendProviderError } from "../error-response.ts";
import { injectFaults } from "../faults.ts";
import { readJsonBody } from "../json-body.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";
import { finalBody, headOf } from "../responses/body.ts";
import { schemaErrorOf } from "../responses/refusal.ts";
import { type ResponsesRequest, responsesRequest } from "../responses/request.ts";
import { generateResponse } from "../responses/response.ts";
import { responsesProblem } from "../responses/rules.ts";
import { sendResponseStream } from "../responses/stream.ts";
import { prettyJson, sendJson } from "../send-json.ts";

/**
 * OpenAI's Responses API. Its commands are behind the model id or in `metadata.simulate`. It stores
 * nothing: https://developers.openai.com/api/reference/resources/responses/methods/create
 */
export const responses: SimulatorRoute = {
  method: "POST",
  path: responsesPath,
  async handle(call) {
    const { isTooLarge, value, recordable } = await readJsonBody(call.request);
    const recorded = recordCall(call, summarize(value), recordable);
    call.response.setHeader("x-request-id", `req_${recorded.seq}`);
    const parsed = responsesRequest.safeParse(value);
    const refusal = transportProblem(call, isTooLarge, value);
    if (refusal !== undefined) sendProviderError(call, refusal, recorded);
    else if (!parsed.success) sendProviderError(call, schemaErrorOf(parsed.error, value), recorded);
    else await respondCommanded(call, recorded, parsed.data);
  },
};

function transportProblem(
  { request }: SimulatorCall,
  isTooLarge: boolean,
  value: unknown,
): ProviderError | undefined {
  if (!/^Bearer \S/.test(request.headers.authorization ?? "")) {
    return { status: 401, message: "Missing bearer or basic authentication in header" };
  }
  if (isTooLarge) return { status: 413, message: "The body is too large." };
  if (typeof value === "object" && value !== null) return undefined;
  return { status: 400, message: "We could not parse the JSON body of your request." };
}

async function respondCommanded(
  call: SimulatorCall,
  recorded: RecordedCall,
  request: ResponsesRequest,
): Promise<void> {
  const problem = responsesProblem(request);
  if (problem !== undefined) {
    sendProviderError(call, problem, recorded);
    return;
  }
  const given = { model: request.model, simulate: request.metadata?.simulate };
  await runCommanded(call, recorded, given, (commands) =>
    respond(call, recorded, commands, request),
  );
}

async function respond(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  request: ResponsesRequest,
): Promise<void> {
  const generated = generateResponse(request, commands, recorded.seq);
  recorded.promptTokens = generated.promptTokens;
  if (commands !== NO_COMMANDS && (await injectFaults(call, recorded, commands))) return;
  recorded.status = 200;
  const head = headOf(request, recorded.seq, Math.floor(recorded.at / 1_000));
  if (request.stream) {
    const isObfuscated = request.stream_options?.include_obfuscation !== false;
    await sendResponseStream({ call, recorded, commands, generated, head, isObfuscated });
    return;
  }
  recorded.completionTokens = generated.completionTokens;
  await sendJson(call, recorded, commands, prettyJson(finalBody(head, generated)));
}
