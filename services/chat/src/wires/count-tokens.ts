import type { Model, Slot } from "@tollgate/catalog/model";
import { replaceMembers } from "@tollgate/core/json-members";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { readJsonObject } from "@tollgate/upstream/provider-response";
import { mediaTokens } from "../hold/estimate.ts";
import { resolveChat } from "../prepare.ts";
import { approximateTokens } from "../usage/usage.ts";
import { ClientRequest } from "./client-request.ts";
import { headersToForward } from "./forward-request.ts";
import { wireOf } from "./wire-of.ts";

/**
 * Returns the number of tokens of a prompt: as the provider counts them where it speaks the wire, and its slot
 * has room. Else it is an estimate: four characters are a token, and media have as many tokens as a hold allows for them. Nothing
 * is charged. Throws `model_not_found`, what `walkChain` throws where the provider cannot be reached, and
 * `invalid_param` for what the provider refuses.
 */
export async function countTokens(
  { engine, providers }: Pick<ProviderRuntime, "engine" | "providers">,
  call: ChatCall,
  signal: AbortSignal,
): Promise<{ body: Uint8Array }> {
  const model = resolveChat(engine, call);
  const wire = wireOf(call.wire);
  const chain = model.chain.filter(
    (slot) => wire.countPathOf?.(slot) !== undefined && engine.hasRoom(slot),
  );
  if (chain.length === 0) {
    const tokens = estimatedTokens(call, model);
    return { body: Buffer.from(JSON.stringify({ input_tokens: tokens })) };
  }
  const client = new ClientRequest(call, wire.parse, model.allows);
  const own = wire.ownBody?.(client) ?? client.bytes;
  const count = async (slot: Slot) => {
    const body = replaceMembers(own, {
      model: JSON.stringify(slot.upstreamModel),
    });
    const headers = headersToForward(call, "application/json");
    const path = wire.countPathOf?.(slot) ?? slot.path;
    const sent = await providers.send(slot, { method: "POST", path, headers, body }, signal);
    return readJsonObject(sent, signal);
  };
  try {
    const { response } = await engine.attemptFree({ ...model, chain }, count, call.caller);
    return { body: response.bytes };
  } catch (error) {
    throw wire.describeFailure(error, true);
  }
}

function estimatedTokens({ prompt }: ChatCall, model: Model): number {
  if (prompt === undefined) return 0;
  const { seen, heard } = mediaTokens(prompt, model);
  return Number(approximateTokens(prompt.textCharacters)) + seen + heard;
}
