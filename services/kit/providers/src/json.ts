import type { Model, ProviderKind, RouteType, Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import {
  type JsonBytes,
  type PostCall,
  type ProviderClient,
  readJson,
  readJsonObject,
} from "@tollgate/upstream/provider-client";
import { refuseReportedError } from "@tollgate/upstream/reported-error";
import { notSupported } from "./ai-sdk/members.ts";
import { bedrockRerank } from "./bedrock/rerank.ts";
import { cohereEmbeddings } from "./cohere/embeddings.ts";
import { googleEmbeddings } from "./google/embeddings.ts";
import { googleImages } from "./google/image-generation.ts";
import { jinaEmbeddings } from "./jina/embeddings.ts";
import { jinaRerank } from "./jina/rerank.ts";
import type { JsonAdapter } from "./json-adapter.ts";
import { mistralEmbeddings } from "./mistral/embeddings.ts";
import { voyageEmbeddings } from "./voyage/embeddings.ts";
import { voyageRerank } from "./voyage/rerank.ts";

/** Where a kind has none for a route that it serves, it speaks the wire of the kind `openai`. */
const adapters: {
  readonly [Kind in ProviderKind]?: { readonly [Type in RouteType]?: JsonAdapter };
} = {
  google: { embeddings: googleEmbeddings, images: googleImages },
  mistral: { embeddings: mistralEmbeddings },
  cohere: { embeddings: cohereEmbeddings },
  bedrock: { rerank: bedrockRerank },
  voyage: { embeddings: voyageEmbeddings, rerank: voyageRerank },
  jina: { embeddings: jinaEmbeddings, rerank: jinaRerank },
};

/** The members that a kind refuses on a route. */
const refused: {
  readonly [Kind in ProviderKind]?: { readonly [Type in RouteType]?: readonly string[] };
} = {
  // https://docs.x.ai/docs/guides/image-generations
  xai: { images: ["size"] },
};

/** A JSON response: its bytes and its value. */
export interface JsonResponse {
  bytes: Uint8Array;
  value: unknown;
}

/**
 * Throws `invalid_param` where a slot of the model cannot be sent the whole request. `body` is the
 * client's, and `others` the members that it has besides. The body is parsed only where a slot's kind
 * refuses something.
 */
export function checkJson(
  { chain, routeType }: Model,
  body: Uint8Array,
  others: JsonObject = {},
): void {
  for (const slot of chain) {
    const names = refused[slot.provider.kind ?? "openai"]?.[routeType] ?? [];
    const check = adapterOf(slot, routeType)?.check;
    if (names.length === 0 && check === undefined) continue;
    const members = { ...membersOf(body), ...others };
    const given = names.find((name) => members[name] != null);
    if (given !== undefined) throw notSupported(given);
    check?.(slot, members);
  }
}

/**
 * Posts a JSON body to a slot. The bytes are forwarded, both ways, where the provider speaks OpenAI's
 * wire, and translated otherwise. Throws what `ProviderClient.post` throws, and a SlotFailure for a
 * response that is not JSON.
 */
export async function postJson(
  providers: ProviderClient,
  slot: Slot,
  routeType: RouteType,
  body: JsonBytes,
  call: PostCall,
): Promise<JsonResponse> {
  const adapter = adapterOf(slot, routeType);
  if (adapter === undefined) return readJson(await providers.post(slot, body, call), call.signal);
  const members = membersOf(body);
  const sent = Buffer.from(JSON.stringify(adapter.request(slot, members)));
  const response = await providers.post(slot, sent, call);
  const { value: own } = await readJsonObject(response, call.signal);
  refuseReportedError(own);
  const value = adapter.response(own, members);
  return { bytes: Buffer.from(JSON.stringify(value)), value };
}

function adapterOf({ provider }: Slot, routeType: RouteType): JsonAdapter | undefined {
  return adapters[provider.kind ?? "openai"]?.[routeType];
}

function membersOf(body: JsonBytes): JsonObject {
  const bytes = body instanceof Uint8Array ? body : Buffer.concat(body);
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as JsonObject;
}
