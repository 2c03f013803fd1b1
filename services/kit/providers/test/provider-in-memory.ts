import type { JsonObject } from "@tollgate/core/json";
import type { ProviderBody } from "@tollgate/upstream/provider-call";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import { type KindUnderTest, slotAtAddress } from "./provider-of-kind.ts";

const request = { messages: [{ role: "user", content: "Hi" }], max_completion_tokens: 4_000 };

/** Resolves with the completion that a kind makes of a provider's whole response, without a socket. */
export async function completeFrom(kind: KindUnderTest, body: Buffer): Promise<JsonObject> {
  const providers = providersWith("application/json", [body]);
  return kind.adapter.complete(providers, slotOf(kind), request, callNow());
}

/** Resolves with the chunks that a kind makes of a provider's stream. */
export async function streamFrom(
  kind: KindUnderTest,
  mediaType: string,
  pieces: readonly Buffer[],
): Promise<JsonObject[]> {
  const providers = providersWith(mediaType, pieces);
  const stream = { ...request, stream: true };
  const chunks: JsonObject[] = [];
  for await (const chunk of await kind.adapter.stream(providers, slotOf(kind), stream, callNow())) {
    chunks.push(chunk);
  }
  return chunks;
}

function slotOf({ vendor, modelId }: KindUnderTest) {
  return slotAtAddress(vendor, modelId, "http://provider.test/v1");
}

function callNow() {
  return { requestId: "req_1", signal: new AbortController().signal };
}

function providersWith(contentType: string, pieces: readonly Buffer[]): ProviderClient {
  const send = async () => ({ status: 200, contentType, body: bodyOf(pieces) });
  const redact = (_: unknown, text: string) => text;
  return { send, redact } as unknown as ProviderClient;
}

function bodyOf(pieces: readonly Buffer[]): ProviderBody {
  const read = async function* () {
    yield* pieces;
  };
  return Object.assign(read(), { letEnd: () => {} });
}
