import type { IncomingHttpHeaders } from "node:http";
import type { SimulatorCall, SimulatorRoute } from "../call.ts";
import { sendProviderError } from "../error-response.ts";

/**
 * The models that every simulated provider lists, under whatever name its API has for the id. The last two
 * have list prices at a provider that is called as theirs.
 */
export const listedModels = ["sim-small", "sim-large", "gpt-4o", "gpt-4o-mini"] as const;

/** A key with this text in it is refused, as a provider refuses one that it does not know. */
const refused = "refused";

const created = 1_760_000_000;

/** The lists of models, each as its API has it. */
export const modelRoutes: readonly SimulatorRoute[] = [
  // That of OpenAI, and of Anthropic: each reads its own members.
  listAt("/v1/models", openaiList),
  listAt("/azure/openai/v1/models", openaiList),
  listAt("/mistral/v1/models", openaiList),
  listAt("/xai/v1/models", openaiList),
  listAt("/google/v1beta/models", () => ({
    models: listedModels.map((id) => ({ name: `models/${id}`, displayName: id })),
  })),
  listAt("/vertex/v1beta1/publishers/google/models", () => ({
    publisherModels: listedModels.map((id) => ({ name: `publishers/google/models/${id}` })),
  })),
  listAt("/cohere/v1/models", () => ({
    models: listedModels.map((name) => ({ name, endpoints: ["chat"] })),
  })),
  listAt("/elevenlabs/v1/models", () => listedModels.map((id) => ({ model_id: id, name: id }))),
  listAt("/bedrock/foundation-models", () => ({
    modelSummaries: listedModels.map((id) => ({ modelId: id, modelName: id })),
  })),
];

function openaiList() {
  const data = listedModels.map((id) => ({
    ...{ id, object: "model", type: "model", created, owned_by: "simulator", display_name: id },
  }));
  return { object: "list", data, has_more: false };
}

function listAt(path: string, list: () => unknown): SimulatorRoute {
  return {
    method: "GET",
    path,
    async handle(call) {
      if (refuses(call)) return;
      call.response.writeHead(200, { "content-type": "application/json" });
      call.response.end(JSON.stringify(list()));
    },
  };
}

/** Refuses a request whose key is missing or unknown. The refusal repeats the key, as some do. */
function refuses(call: SimulatorCall): boolean {
  const key = keyOf(call.request.headers);
  if (key !== "" && !key.includes(refused)) return false;
  sendProviderError(call, { status: 401, message: `Incorrect API key provided: ${key}.` });
  return true;
}

function keyOf({ authorization, ...headers }: IncomingHttpHeaders): string {
  const named = headers["x-api-key"] ?? headers["api-key"] ?? headers["x-goog-api-key"];
  return String(named ?? headers["xi-api-key"] ?? authorization ?? "");
}
