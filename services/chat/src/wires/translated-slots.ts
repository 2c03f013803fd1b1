import type { Model, Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import { checkChat } from "@tollgate/providers/chat";
import type { ClientRequest } from "./client-request.ts";
import { hasUnseenImages, seenBy } from "./unseen-media.ts";
import type { ServableSlots } from "./wire.ts";

/** How a wire's request becomes one for chat completions. */
export interface Translation {
  /** Returns the path at which the slot's provider speaks the wire; undefined where it does not. */
  nativePathOf(slot: Slot): string | undefined;
  /**
   * Returns a request as a chat completion request for a slot, without its model, its output limit
   * and `stream`. Throws `invalid_param` for what chat completions cannot express, or the model does
   * not take.
   */
  toChat(request: JsonObject, slot: Slot, model: Model): JsonObject;
  /** Returns the name of a request's member that the member of a chat request was made from. */
  memberOf(chatMember: string): string;
}

/**
 * Returns the slots whose provider speaks the wire, and those that the translation of a request can be
 * sent to. Throws the reason of the first slot where there is none: `invalid_param`.
 */
export async function translateForSlots(
  translation: Translation,
  client: ClientRequest,
  model: Model,
  stream: boolean,
): Promise<ServableSlots> {
  const { maxTokens } = client.call;
  const limit = maxTokens === undefined ? {} : { max_completion_tokens: Number(maxTokens) };
  const translated = new Map<Slot, JsonObject>();
  const chain: Slot[] = [];
  let refusal: GatewayError | undefined;
  for (const slot of model.chain) {
    try {
      if (translation.nativePathOf(slot) === undefined || hasUnseenImages(client, model)) {
        const chat = seenBy(model, slot, translation.toChat(client.json, slot, model));
        const sent = { ...chat, ...limit, stream };
        translated.set(slot, {
          ...chat,
          ...(await knownEffort(sent, { ...model, chain: [slot] })),
        });
      }
      chain.push(slot);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      refusal ??= named(error, translation);
    }
  }
  if (chain.length === 0 && refusal !== undefined) throw refusal;
  return { chain, translated };
}

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * Returns the effort of a request, or the nearest that its only slot takes: agents choose from those of
 * other models, and would be refused at every turn. Throws what the check of the request throws.
 */
async function knownEffort(request: JsonObject, model: Model): Promise<JsonObject> {
  const { reasoning_effort: wanted, ...others } = request;
  if (typeof wanted !== "string") {
    await checkChat(model, () => request);
    return {};
  }
  for (const effort of nearest(wanted)) {
    try {
      await checkChat(model, () => ({ ...others, reasoning_effort: effort }));
      return { reasoning_effort: effort };
    } catch (error) {
      if (!(error instanceof GatewayError) || error.param !== "reasoning_effort") throw error;
    }
  }
  await checkChat(model, () => others);
  return { reasoning_effort: undefined };
}

/** Returns efforts by their distance to one; `none` only for itself. */
function nearest(wanted: string): readonly string[] {
  const place = efforts.indexOf(wanted);
  if (place <= 0) return [wanted];
  const distance = (effort: string) => Math.abs(efforts.indexOf(effort) - place);
  return efforts.slice(1).sort((left, right) => distance(left) - distance(right));
}

/** Returns an error with the name of the wire's member in place of the chat completion's. */
function named(error: GatewayError, translation: Translation): GatewayError {
  const { code, message, param } = error;
  if (param === undefined) return error;
  const [member = ""] = param.split(/[.[]/, 1);
  const name = translation.memberOf(member);
  if (name === member) return error;
  const rest = message.startsWith(param)
    ? message.slice(param.length)
    : ` is not valid: ${message}`;
  return new GatewayError(code, `${name}${rest}`, { param: name, cause: error });
}
