import { toolSwitches } from "@tollgate/catalog/allowances";
import { type ChatInput, isChatInput } from "@tollgate/catalog/chat-inputs";
import type { Model, Slot } from "@tollgate/catalog/model";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import type { Engine } from "@tollgate/generation/engine";
import type { BillableCall } from "@tollgate/generation/generation";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import type { ChatCall, PromptSize } from "@tollgate/proto/tollgate/v1/chat";
import { vendorChatOf } from "@tollgate/providers/vendor-of";
import { checkTurn } from "./conversations/limits.ts";
import type { Session, Sessions } from "./conversations/session.ts";
import { withPrompt } from "./conversations/sizes.ts";
import { type HoldPlan, type OfferedTool, planHold } from "./hold/hold-plan.ts";
import type { MeteredCall, UsageMeter } from "./usage/usage-meter.ts";
import { withTurns } from "./wires/chat/stored-turns.ts";
import { ClientRequest } from "./wires/client-request.ts";
import type { ResponseContext } from "./wires/response-context.ts";
import type { ServableSlots, Wire } from "./wires/wire.ts";
import { wireOf } from "./wires/wire-of.ts";

/** What calls need. Without `sessions`, no conversation is stored. */
export interface ChatRuntime extends ProviderRuntime {
  sessions: Sessions | undefined;
  meter: UsageMeter;
  now(): Date;
}

/** A call with the model that its alias names, and what is held for it. */
export interface PreparedCall {
  wire: Wire;
  client: ClientRequest;
  /** The model, with the slots that can serve the call. */
  model: Model;
  /** The model's other slots. */
  unable: readonly Slot[];
  translated: ServableSlots["translated"];
  /** The conversation that the call continues, locked until it is released. */
  session: Session | undefined;
  hold: HoldPlan;
  /** Characters of everything that the model reads. */
  promptCharacters: bigint;
}

/**
 * Looks up what a call needs, and opens its conversation, which the caller must release. Throws
 * `sessions_unavailable`, `model_not_found`, `invalid_param` for parts that the alias does not take, and
 * what finding its slots, opening its conversation and checking its turn throw.
 */
export async function prepare(
  { engine, sessions }: ChatRuntime,
  call: ChatCall,
  isStream: boolean,
  signal: AbortSignal,
): Promise<PreparedCall> {
  if (call.sessionId !== "" && sessions === undefined) throw sessionsUnavailable();
  const wire = wireOf(call.wire);
  const resolved = resolveChat(engine, call);
  const client = new ClientRequest(call, wire.parse, resolved.allows);
  const { chain, translated } = await wire.findSlots(client, resolved, isStream);
  const isWhole = chain.length === resolved.chain.length;
  const model = isWhole ? resolved : { ...resolved, chain };
  const unable = isWhole ? [] : resolved.chain.filter((slot) => !chain.includes(slot));
  const session = call.sessionId === "" ? undefined : await sessions?.open(call, signal);
  try {
    if (session !== undefined) checkTurn(call, model, session);
    const prompt = session === undefined ? call.prompt : withPrompt(session.prefix, call.prompt);
    const hold = planHold(call, model, prompt, isStream, offeredTools(wire, client));
    const promptCharacters = prompt?.textCharacters ?? 0n;
    return { wire, client, model, unable, translated, session, hold, promptCharacters };
  } catch (error) {
    await session?.release();
    throw error;
  }
}

/** Returns the tools that the provider runs. A request is parsed for them only where its model allows some. */
function offeredTools(wire: Wire, client: ClientRequest): readonly OfferedTool[] {
  for (const name of toolSwitches) {
    if (client.allows.has(name)) return wire.offeredTools?.(client.json) ?? [];
  }
  return [];
}

/**
 * Returns the model of a call's alias. Throws `model_not_found`, and `invalid_param` for images where
 * it has no vision, for other parts that it does not take, and for URLs of private hosts.
 */
export function resolveChat(
  engine: Engine,
  { alias, caller, prompt }: Pick<ChatCall, "alias" | "caller" | "prompt">,
): Model {
  const model = engine.resolve(alias, "chat", caller);
  if (prompt === undefined) return model;
  if (!model.vision) refuseImages(prompt, model);
  if (prompt.needs.length > 0) requireNeeds(prompt, model);
  if (prompt.privateUrlParam !== "") refusePrivateUrl(prompt, model);
  return model;
}

/** Throws `invalid_param` for a part that the model does not take, or does not allow. */
function requireNeeds({ needs }: PromptSize, { alias, inputs, allows }: Model): void {
  for (const { name, param } of needs) {
    if (!isChatInput(name)) {
      if (allows.has(name)) continue;
      throw invalidParam(param, `is not supported: the model does not allow ${name}`);
    }
    if (inputs?.has(name)) continue;
    throw invalidParam(param, `must not be ${inputNames[name]}: ${alias} does not take ${name}`);
  }
}

const inputNames: Readonly<Record<ChatInput, string>> = { pdf: "a file", audio: "audio" };

/** Images in the results of tools have no `firstImageParam`: the model is sent notes in their place. */
function refuseImages({ firstImageParam }: PromptSize, { alias }: Model): void {
  if (firstImageParam === "") return;
  throw invalidParam(firstImageParam, `must not be an image: ${alias} does not take images`);
}

/** Throws `invalid_param` where a slot's provider is not known to be one of the operator's own. */
function refusePrivateUrl({ privateUrlParam }: PromptSize, { chain }: Model): void {
  if (chain.every(({ provider }) => provider.takesPrivateUrls)) return;
  throw invalidParam(privateUrlParam, "must be a data URL, or a URL whose host is public");
}

/** Returns a call as the engine bills it. */
export function billableCall({ client, model, unable, hold, session }: PreparedCall): BillableCall {
  const { estimate, least, aloneBelow, isWhole, tokens } = hold;
  const { caller } = client.call;
  const conversationId = session?.link;
  const affinity = conversationId ?? scopedAffinity(client.call);
  const held = { estimate, least, aloneBelow, isWhole, tokens };
  return { caller, model, unable, ...held, conversationId, affinity };
}

/** Returns the affinity of a request, which is the account's own; undefined for none. */
function scopedAffinity({ affinity, caller }: ChatCall): string | undefined {
  return affinity === "" ? undefined : `${caller?.accountId} ${affinity}`;
}

/** Returns a call to a slot as its tokens are counted. */
export function meteredCall({ client, model, session }: PreparedCall, slot: Slot): MeteredCall {
  const accountId = client.call.caller?.accountId ?? "";
  return { model, slot, accountId, client, request: () => withTurns(client.json, session) };
}

/** Returns what the response of a slot to a call says besides what was generated. */
export function contextOf(
  { client, model: { alias }, promptCharacters }: PreparedCall,
  slot: Slot,
  now: Date,
): ResponseContext {
  const { caller, sessionId } = client.call;
  const id = caller?.requestId.replace(/^req_/, "") ?? "";
  const created = Math.floor(now.getTime() / 1_000);
  const { kind } = slot.provider;
  const { readUsageBlock } = vendorChatOf(slot);
  return { alias, id, created, client, promptCharacters, sessionId, kind, readUsageBlock };
}

function sessionsUnavailable(): GatewayError {
  const message =
    "This gateway does not store conversations: send all messages of the conversation.";
  return new GatewayError("sessions_unavailable", message, { param: "session_id" });
}
