import { isJsonObject, type JsonObject, readCount } from "@tollgate/core/json";
import type { JsonRoute } from "@tollgate/generation/json-route";
import type { UsedUnits } from "@tollgate/metering/measurement";
import type { EmbedRequest } from "@tollgate/proto/tollgate/v1/chat";
import { encodedEmbeddings } from "./embedding-encoding.ts";
import { likelyBytesPerToken } from "./hold/hold-plan.ts";
import { approximateTokens } from "./usage/usage.ts";

/**
 * Embeddings bill the tokens of their inputs. A token is at least one byte. Vectors are sent in the
 * encoding that the client asked for, whatever the provider sends.
 */
export const embeddings: JsonRoute<EmbedRequest> = {
  routeType: "embeddings",
  // The second is the name in responses of Ollama's native route.
  lists: ["data", "embeddings"],
  bound: ({ textBytes, inputTokens }) => textBytes + inputTokens || 1n,
  tokens: ({ textBytes, inputTokens }) => textBytes / likelyBytesPerToken + inputTokens || 1n,
  measure: ({ usage }, call) => reportedTokens(usage) ?? countedTokens(call),
  amend: (response, { base64 }) => encodedEmbeddings(response, base64 ? "base64" : "float"),
};

function countedTokens({ textCharacters, inputTokens }: EmbedRequest): UsedUnits {
  if (inputTokens > 0n) return { quantity: inputTokens, basis: "input_tokens" };
  return { quantity: approximateTokens(textCharacters), basis: "approx4" };
}

function reportedTokens(usage: unknown): UsedUnits | undefined {
  const { prompt_tokens, total_tokens }: JsonObject = isJsonObject(usage) ? usage : {};
  const quantity = readCount(prompt_tokens) ?? readCount(total_tokens);
  return quantity === undefined ? undefined : { quantity, basis: "provider" };
}
