import type { z } from "zod";
import type { SimulatorCall, SimulatorRoute } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import { type Commands, NO_COMMANDS } from "../commands.ts";
import { authorizationProblem } from "../converse/authorization.ts";
import { generateConverse } from "../converse/generated.ts";
import { type ConverseRequest, converseProblem, converseRequest } from "../converse/request.ts";
import { bedrockRerankRequest } from "../converse/rerank.ts";
import { sendConverseStream } from "../converse/stream.ts";
import { sendProviderError } from "../error-response.ts";
import { injectFaults } from "../faults.ts";
import { readRequestBytes } from "../read-body.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";
import { sendJson } from "../send-json.ts";
import { rank } from "./rerank.ts";

/**
 * Bedrock's Converse API and its rerank. The commands of a call are behind the model id, which Converse
 * has in its path.
 */
export const bedrockRoutes: readonly SimulatorRoute[] = [
  { method: "POST", path: "/bedrock/model/*/converse", handle: (call) => handle(call, false) },
  {
    method: "POST",
    path: "/bedrock/model/*/converse-stream",
    handle: (call) => handle(call, true),
  },
  { method: "POST", path: "/bedrock/rerank", handle: handleRerank },
];

async function handle(call: SimulatorCall, stream: boolean): Promise<void> {
  const body = (await readRequestBytes(call.request))?.toString() ?? "";
  const value = parse(body);
  const model = decodeURIComponent(call.path.split("/")[3] ?? "");
  const recorded = recordCall(call, { model, stream }, value);
  const refusal = authorizationProblem(call.request, body, call.state.issued);
  const parsed = converseRequest.safeParse(value);
  const message = parsed.success ? converseProblem(parsed.data) : describe(parsed.error);
  if (refusal !== undefined) {
    sendProviderError(call, refusal, recorded);
  } else if (parsed.data === undefined || message !== undefined) {
    sendProviderError(call, { status: 400, message: message ?? "" }, recorded);
  } else {
    await runCommanded(call, recorded, { model }, (commands) =>
      respond(call, recorded, commands, parsed.data),
    );
  }
}

async function handleRerank(call: SimulatorCall): Promise<void> {
  const body = (await readRequestBytes(call.request))?.toString() ?? "";
  const value = parse(body);
  const parsed = bedrockRerankRequest.safeParse(value);
  const configuration = parsed.data?.rerankingConfiguration.bedrockRerankingConfiguration;
  const { modelConfiguration, numberOfResults } = configuration ?? {};
  const model = modelConfiguration?.modelArn.split("/").at(-1) ?? "";
  const recorded = recordCall(call, { model }, value);
  const refusal = authorizationProblem(call.request, body, call.state.issued);
  if (refusal !== undefined) {
    sendProviderError(call, refusal, recorded);
  } else if (parsed.data === undefined) {
    sendProviderError(call, { status: 400, message: describe(parsed.error) }, recorded);
  } else {
    const [query] = parsed.data.queries;
    const texts = parsed.data.sources.map(
      (source) => source.inlineDocumentSource.textDocument.text,
    );
    const ranked = rank(query?.textQuery.text ?? "", texts).slice(0, numberOfResults);
    const results = ranked.map(({ index, relevance_score: relevanceScore }) => {
      return { index, relevanceScore };
    });
    await runCommanded(call, recorded, { model }, async (commands) => {
      if (commands !== NO_COMMANDS && (await injectFaults(call, recorded, commands))) return;
      recorded.status = 200;
      await sendJson(call, recorded, commands, JSON.stringify({ results }));
    });
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function describe({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.join(".") ?? "";
  const [name] = issue?.code === "unrecognized_keys" ? issue.keys : [];
  if (name === undefined) return `${path}: ${issue?.message}`;
  return `The model returned the following errors: ${path}.${name}: Extra inputs are not permitted`;
}

async function respond(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  request: ConverseRequest,
): Promise<void> {
  if (commands !== NO_COMMANDS && (await injectFaults(call, recorded, commands))) return;
  const message = generateConverse(recorded.model, request, commands, recorded.seq);
  recorded.status = 200;
  recorded.promptTokens = message.promptTokens;
  if (recorded.stream) {
    await sendConverseStream(call, recorded, commands, message);
    return;
  }
  const { content, stopReason, usage } = message;
  recorded.completionTokens = message.completionTokens;
  const output = { message: { role: "assistant", content } };
  const body = { metrics: { latencyMs: 1 }, output, stopReason, usage };
  await sendJson(call, recorded, commands, JSON.stringify(body));
}
