import { z } from "zod";
import type { SimulatorCall, SimulatorRoute } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import { tokensOfCharacters } from "../chat/tokens.ts";
import { type Commands, NO_COMMANDS } from "../commands.ts";
import { sendProviderError } from "../error-response.ts";
import { injectFaults } from "../faults.ts";
import { readJsonBody } from "../json-body.ts";
import { jsonRoute } from "../json-route.ts";
import { generateMistral } from "../mistral/generated.ts";
import { type MistralChatRequest, mistralChatRequest, mistralProblem } from "../mistral/request.ts";
import { sendMistralStream } from "../mistral/stream.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";
import { sendJson } from "../send-json.ts";
import { base64Of, vectorOf } from "./embeddings.ts";

/** Mistral's chat completions. Their commands are behind the model id. */
export const mistralChatRoute: SimulatorRoute = {
  method: "POST",
  path: "/mistral/v1/chat/completions",
  async handle(call) {
    const { value, recordable } = await readJsonBody(call.request);
    const parsed = mistralChatRequest.safeParse(value);
    const { model, stream } = parsed.data ?? { model: "" };
    const recorded = recordCall(call, { model, stream }, recordable);
    if (!call.request.headers.authorization?.startsWith("Bearer ")) {
      sendProviderError(call, { status: 401, message: "Unauthorized" }, recorded);
      return;
    }
    if (parsed.data === undefined) {
      const message = invalidBody(parsed.error);
      sendProviderError(call, { status: 422, message }, recorded);
      return;
    }
    const request = parsed.data;
    const message = mistralProblem(request);
    if (message !== undefined) {
      sendProviderError(call, { status: 400, message }, recorded);
      return;
    }
    await runCommanded(call, recorded, { model }, (commands) =>
      respond(call, recorded, commands, request),
    );
  },
};

/** https://docs.mistral.ai/api/endpoint/embeddings */
const embeddingsRequest = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(z.string()).min(1)]),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  output_dimension: z.int().min(1).nullish(),
  output_dtype: z.literal("float").optional(),
  encoding_format: z.enum(["float", "base64"]).optional(),
});

/** Mistral's embeddings. */
export const mistralEmbeddingsRoute = jsonRoute(
  "/mistral/v1/embeddings",
  embeddingsRequest,
  ({ model, input, output_dimension, encoding_format }, commands, seq) => {
    const texts = [input].flat();
    const data = texts.map((text, index) => {
      const vector = vectorOf(text, output_dimension ?? 8);
      const embedding = encoding_format === "base64" ? base64Of(vector) : [...vector];
      return { object: "embedding", embedding, index };
    });
    const counted = texts.reduce((sum, text) => sum + tokensOfCharacters(text.length), 0);
    const prompt_tokens = commands.usage?.promptTokens ?? counted;
    const usage = { prompt_tokens, completion_tokens: 0, total_tokens: prompt_tokens };
    const list = commands.no_list ? {} : { data };
    return { id: `embd-${seq}`, object: "list", ...list, model, usage };
  },
);

function invalidBody({ issues: [issue] }: z.ZodError): string {
  const names = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const path = ["body", ...(issue?.path ?? []), ...names].join(".");
  return `${path}: ${names.length > 0 ? "Extra inputs are not permitted" : issue?.message}`;
}

async function respond(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  request: MistralChatRequest,
): Promise<void> {
  if (commands !== NO_COMMANDS && (await injectFaults(call, recorded, commands))) return;
  const generated = generateMistral(request, commands, recorded.seq);
  const { id, message, finishReason, usage } = generated;
  recorded.status = 200;
  recorded.promptTokens = generated.promptTokens;
  const [model] = request.model.split("?");
  const created = 1_702_256_327;
  if (request.stream) {
    const head = { id, object: "chat.completion.chunk", created, model };
    await sendMistralStream(call, recorded, commands, generated, head);
    return;
  }
  recorded.completionTokens = generated.completionTokens;
  const choices = [{ index: 0, message, finish_reason: finishReason }];
  const head = { id, object: "chat.completion", created, model };
  await sendJson(call, recorded, commands, JSON.stringify({ ...head, choices, usage }));
}
