import { agentModels } from "./agents.ts";
import { audioModels } from "./audio.ts";
import { audioChargingModels, chargingModels, chargingProviders } from "./charging.ts";
import { chatModels } from "./chat.ts";
import { chatKindModels } from "./chat-kinds.ts";
import {
  allowingModels,
  bedrockModels,
  claudeModels,
  cohereModels,
  geminiModels,
  grokModels,
  mistralModels,
  responsesModels,
} from "./chat-vendors.ts";
import { identityModels } from "./identities.ts";
import { jsonModels } from "./json.ts";
import { vendorModels } from "./json-vendors.ts";
import { mistralOcrModels, ocrModels } from "./ocr.ts";
import { planModels, testPlans } from "./plans.ts";
import { routeKindModels } from "./route-kinds.ts";
import { limitedProviders, sharedLoadModels } from "./shared-load.ts";

/**
 * Returns a catalog over the simulator. A slot's faults follow the `?` of its model id.
 */
export function testCatalog(simulatorUrl: string): string {
  return JSON.stringify({
    providers: {
      sim: { base_url: `${simulatorUrl}/v1`, timeout_seconds: 5 },
      // Fetches images from addresses of the operator's network.
      intranet: { base_url: `${simulatorUrl}/v1`, private_urls: true },
      // For many concurrent calls, which take longer than 5 s together.
      long_timeout: { base_url: `${simulatorUrl}/v1`, timeout_seconds: 60 },
      // For calls that time out.
      hasty: { base_url: `${simulatorUrl}/v1`, timeout_seconds: 1 },
      vllm: { base_url: `${simulatorUrl}/v1`, timeout_seconds: 5, continuous_usage: true },
      secret: { base_url: `${simulatorUrl}/v1`, api_key_env: "TEST_PROVIDER_KEY" },
      claude: {
        kind: "anthropic",
        base_url: `${simulatorUrl}/v1`,
        api_key_env: "TEST_PROVIDER_KEY",
        timeout_seconds: 5,
      },
      openai: {
        base_url: `${simulatorUrl}/v1`,
        api_key_env: "TEST_PROVIDER_KEY",
        responses: true,
        timeout_seconds: 5,
      },
      forms: { base_url: `${simulatorUrl}/v1`, transcriptions: "multipart", timeout_seconds: 5 },
      ...{ ...failingProviders(simulatorUrl), ...chargingProviders(`${simulatorUrl}/v1`) },
      nowhere: { base_url: "http://127.0.0.1:1/v1" },
      ...azureProviders(`${simulatorUrl}/azure/openai/v1`),
      ...vendor("google", `${simulatorUrl}/google/v1beta`),
      ...vertexProviders(`${simulatorUrl}/vertex/v1/projects/acme/locations/us-central1`),
      ...vendor("mistral", `${simulatorUrl}/mistral/v1`),
      ...vendor("cohere", `${simulatorUrl}/cohere/v2`),
      ...vendor("voyage", `${simulatorUrl}/voyage/v1`),
      ...vendor("jina", `${simulatorUrl}/jina/v1`),
      ...vendor("elevenlabs", `${simulatorUrl}/elevenlabs/v1`),
      ...vendor("deepgram", `${simulatorUrl}/deepgram/v1`),
      ...vendor("xai", `${simulatorUrl}/xai/v1`),
      ...bedrockProviders(`${simulatorUrl}/bedrock`),
    },
    models: [
      ...chatModels(),
      ...agentModels(),
      ...claudeModels(),
      ...responsesModels(),
      ...allowingModels(),
      ...geminiModels(),
      ...grokModels(),
      ...mistralModels(),
      ...bedrockModels(),
      ...identityModels(),
      ...cohereModels(),
      ...sharedLoadModels(),
      ...jsonModels(),
      ...vendorModels(),
      ...chatKindModels(),
      ...routeKindModels(),
      ...audioModels(),
      ...ocrModels(),
      ...mistralOcrModels(),
      ...chargingModels(),
      ...audioChargingModels(),
      ...planModels(),
    ],
    plans: testPlans,
  });
}

/** A provider whose name is its kind. */
function vendor(kind: string, base_url: string) {
  const api_key_env = "TEST_PROVIDER_KEY";
  return { [kind]: { kind, base_url, api_key_env, timeout_seconds: 5 } };
}

function azureProviders(base_url: string) {
  const identity = { kind: "azure", base_url, identity: "default", timeout_seconds: 5 };
  return { ...vendor("azure", base_url), azure_identity: identity };
}

function vertexProviders(base_url: string) {
  const vertex = { kind: "vertex", region: "us-central1", base_url, timeout_seconds: 5 };
  return {
    vertex: { ...vertex, api_key_env: "TEST_PROVIDER_KEY" },
    vertex_identity: vertex,
  };
}

function bedrockProviders(base_url: string) {
  const bedrock = { kind: "bedrock", region: "us-east-1", base_url };
  return {
    bedrock: { ...bedrock, timeout_seconds: 5 },
    bedrock_identity: { ...bedrock, identity: "default", timeout_seconds: 5 },
    bedrock_key: { ...bedrock, api_key_env: "TEST_PROVIDER_KEY" },
  };
}

/** The providers of models that fail for one customer, or whose key fails, or that take too long. */
function failingProviders(simulatorUrl: string) {
  return {
    // For what one customer does to a provider on which others rely.
    contested: {
      base_url: `${simulatorUrl}/v1`,
      api_key_env: "TEST_PROVIDER_KEY",
      responses: true,
      timeout_seconds: 1,
    },
    // Its key expires.
    lapsed: { base_url: `${simulatorUrl}/v1`, timeout_seconds: 5 },
    // Its key is refused once.
    renewed: { base_url: `${simulatorUrl}/v1`, timeout_seconds: 5 },
    ...limitedProviders(simulatorUrl),
  };
}
