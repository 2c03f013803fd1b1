import type { SimulatorCall, SimulatorRoute } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import { NO_COMMANDS } from "../commands.ts";
import { sendProviderError, vertexPath } from "../error-response.ts";
import { injectFaults } from "../faults.ts";
import { embedTexts, predictTextsRequest } from "../generate-content/vertex-embeddings.ts";
import { readJsonBody } from "../json-body.ts";
import { vertexMessagesRequest } from "../messages/vertex-request.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";
import { sendJson } from "../send-json.ts";
import { handleGenerate, handlePredict, methodIn } from "./google.ts";
import { messageProblem, respondToMessage } from "./messages.ts";

/**
 * The models of Vertex AI, Google's and Anthropic's, at one location. Their commands are behind the model id,
 * in the path.
 */
export const vertexRoutes: readonly SimulatorRoute[] = [
  {
    method: "POST",
    path: `${vertexPath}/publishers/google/models/*`,
    handle: (call) => handle(call, handleGoogle),
  },
  {
    method: "POST",
    path: `${vertexPath}/publishers/anthropic/models/*`,
    handle: (call) => handle(call, handleAnthropic),
  },
];

/** What Google says without a token. */
const noToken =
  "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential.";

interface Requested {
  recorded: RecordedCall;
  model: string;
  method: string;
  value: unknown;
}

async function handle(
  call: SimulatorCall,
  respond: (call: SimulatorCall, requested: Requested) => Promise<void>,
): Promise<void> {
  const { value, recordable } = await readJsonBody(call.request);
  const { model, method } = methodIn(call.path);
  const stream = method.startsWith("stream");
  const recorded = recordCall(call, { model, stream }, recordable);
  const { authorization = "", "x-goog-api-key": key } = call.request.headers;
  if (!key && !call.state.issued.accepts(authorization)) {
    sendProviderError(call, { status: 401, message: noToken }, recorded);
    return;
  }
  await respond(call, { recorded, model, method, value });
}

async function handleGoogle(call: SimulatorCall, requested: Requested): Promise<void> {
  const { recorded, model, method, value } = requested;
  const isStream = method === "streamGenerateContent" && call.search === "alt=sse";
  if (method === "generateContent" || isStream) {
    await handleGenerate(call, recorded, model, value);
  } else if (method === "predict" && model.startsWith("imagen-")) {
    await handlePredict(call, recorded, model, value);
  } else if (method === "predict") {
    await handleTexts(call, requested);
  } else {
    refuseMethod(call, requested);
  }
}

async function handleTexts(call: SimulatorCall, { recorded, model, value }: Requested) {
  const parsed = predictTextsRequest.safeParse(value);
  if (!parsed.success) {
    const message = `Invalid JSON payload received. ${parsed.error.issues[0]?.message}`;
    sendProviderError(call, { status: 400, message }, recorded);
    return;
  }
  await runCommanded(call, recorded, { model }, async (commands) => {
    if (commands !== NO_COMMANDS && (await injectFaults(call, recorded, commands))) return;
    recorded.status = 200;
    await sendJson(call, recorded, commands, JSON.stringify(embedTexts(parsed.data, commands)));
  });
}

async function handleAnthropic(call: SimulatorCall, requested: Requested): Promise<void> {
  const { recorded, model, method, value } = requested;
  const parsed = vertexMessagesRequest(model).safeParse(value);
  const isMethod = method === (recorded.stream ? "streamRawPredict" : "rawPredict");
  if (!isMethod) {
    refuseMethod(call, requested);
  } else if (parsed.data === undefined) {
    sendProviderError(call, { status: 400, message: messageProblem(parsed.error) }, recorded);
  } else {
    const request = parsed.data;
    await runCommanded(call, recorded, { model }, (commands) =>
      respondToMessage(call, recorded, commands, request),
    );
  }
}

function refuseMethod(call: SimulatorCall, { recorded, model, method }: Requested): void {
  const message = `Publisher Model ${model} was not found, or does not support ${method}.`;
  sendProviderError(call, { status: 404, message }, recorded);
}
