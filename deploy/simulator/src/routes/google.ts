import type { SimulatorCall, SimulatorRoute } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import { type Commands, NO_COMMANDS } from "../commands.ts";
import { sendProviderError } from "../error-response.ts";
import { injectFaults } from "../faults.ts";
import { batchEmbedRequest, embed, modelProblem } from "../generate-content/embeddings.ts";
import { generateContent } from "../generate-content/generated.ts";
import { mediaResponse, predictions, predictRequest } from "../generate-content/media.ts";
import {
  contentsProblem,
  type GenerateContentRequest,
  generateContentRequest,
} from "../generate-content/request.ts";
import { joinedParts, responseOf } from "../generate-content/response.ts";
import { sendContentStream } from "../generate-content/stream.ts";
import { readJsonBody } from "../json-body.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";
import { sendJson } from "../send-json.ts";

/** Without a key: https://ai.google.dev/gemini-api/docs/api-key */
const noKey =
  "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.";

/** The methods of a model in Gemini's API. Its commands are behind the model id, in the path. */
export const googleRoutes: SimulatorRoute = {
  method: "POST",
  path: "/google/v1beta/models/*",
  async handle(call) {
    const { value, recordable } = await readJsonBody(call.request);
    const { model, method } = methodIn(call.path);
    const stream = method === "streamGenerateContent";
    const recorded = recordCall(call, { model, stream }, recordable);
    if (!call.request.headers["x-goog-api-key"]) {
      sendProviderError(call, { status: 403, message: noKey }, recorded);
    } else if (method === "generateContent" || (stream && call.search === "alt=sse")) {
      await handleGenerate(call, recorded, model, value);
    } else if (method === "predict") {
      await handlePredict(call, recorded, model, value);
    } else if (method === "batchEmbedContents") {
      await handleEmbed(call, recorded, model, value);
    } else {
      const message = `models/${model} is not found, or is not supported for ${method}.`;
      sendProviderError(call, { status: 404, message }, recorded);
    }
  },
};

/** Returns the model and the method at the end of a path. */
export function methodIn(path: string): { model: string; method: string } {
  const [encoded = "", method = ""] = path.slice(path.lastIndexOf("/") + 1).split(":");
  return { model: decodeURIComponent(encoded), method };
}

export async function handleGenerate(
  call: SimulatorCall,
  recorded: RecordedCall,
  model: string,
  value: unknown,
): Promise<void> {
  const parsed = generateContentRequest.safeParse(value);
  const [version = ""] = model.split("?");
  const message = parsed.success
    ? contentsProblem(version, parsed.data)
    : describe(parsed.error.issues[0], "GenerateContentRequest");
  if (parsed.data === undefined || message !== undefined) {
    sendProviderError(call, { status: 400, message: message ?? "Invalid JSON payload." }, recorded);
    return;
  }
  await runCommanded(call, recorded, { model }, (commands) =>
    respond(call, recorded, commands, parsed.data),
  );
}

async function handleEmbed(
  call: SimulatorCall,
  recorded: RecordedCall,
  model: string,
  value: unknown,
): Promise<void> {
  const parsed = batchEmbedRequest.safeParse(value);
  const message = parsed.success
    ? modelProblem(model, parsed.data)
    : describe(parsed.error.issues[0], "BatchEmbedContentsRequest");
  if (parsed.data === undefined || message !== undefined) {
    sendProviderError(call, { status: 400, message: message ?? "Invalid JSON payload." }, recorded);
    return;
  }
  await runCommanded(call, recorded, { model }, async (commands) => {
    if (commands !== NO_COMMANDS && (await injectFaults(call, recorded, commands))) return;
    recorded.status = 200;
    await sendJson(call, recorded, commands, JSON.stringify(embed(parsed.data, commands)));
  });
}

export async function handlePredict(
  call: SimulatorCall,
  recorded: RecordedCall,
  model: string,
  value: unknown,
): Promise<void> {
  const parsed = predictRequest.safeParse(value);
  if (!parsed.success) {
    const message = describe(parsed.error.issues[0], "PredictRequest");
    return sendProviderError(call, { status: 400, message }, recorded);
  }
  await runCommanded(call, recorded, { model }, async (commands) => {
    if (commands !== NO_COMMANDS && (await injectFaults(call, recorded, commands))) return;
    recorded.status = 200;
    await sendJson(call, recorded, commands, JSON.stringify(predictions(parsed.data, commands)));
  });
}

interface Issue {
  code?: string;
  path: PropertyKey[];
  message: string;
  keys?: string[];
}

function describe(issue: Issue | undefined, message: string): string {
  const path = issue?.path.join(".") ?? "";
  const [name] = issue?.code === "unrecognized_keys" ? (issue.keys ?? []) : [];
  if (name === undefined) return `* ${message}.${path}: ${issue?.message}`;
  return `Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.`;
}

async function respond(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  request: GenerateContentRequest,
): Promise<void> {
  if (commands !== NO_COMMANDS && (await injectFaults(call, recorded, commands))) return;
  const media = mediaResponse(request, commands);
  if (media !== undefined) {
    recorded.status = 200;
    return sendJson(call, recorded, commands, JSON.stringify(media));
  }
  const [version = ""] = recorded.model.split("?");
  const content = generateContent(version, request, commands, recorded.seq);
  recorded.status = 200;
  recorded.promptTokens = content.promptTokens;
  if (recorded.stream) {
    await sendContentStream(call, recorded, commands, content, version);
    return;
  }
  recorded.completionTokens = content.completionTokens;
  const body = responseOf(content, version, joinedParts(content), true);
  await sendJson(call, recorded, commands, JSON.stringify(body));
}
