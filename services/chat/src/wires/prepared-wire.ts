import type { Model, Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import type { Engine } from "@tollgate/generation/engine";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import type { WireCall } from "@tollgate/proto/tollgate/v1/wire";
import { checkChat } from "@tollgate/providers/chat";
import { planHold } from "../hold/hold-plan.ts";
import { type PreparedChat, resolveChat } from "../prepared-chat.ts";
import type { Wire } from "./wire.ts";

/** A call in a wire, with the slots that can serve it. */
export interface PreparedWire extends PreparedChat {
  wire: Wire;
  wireCall: WireCall;
  request: JsonObject;
  /** The chat completion request for each slot whose provider does not speak the wire. */
  translated: ReadonlyMap<Slot, ChatCall>;
}

/**
 * Looks up what a call needs, and which slots of its model can serve it: those whose provider speaks
 * the wire, and those that its translation can be sent to. Throws `model_not_found`, and where no
 * slot can serve it, the reason of the first one: `invalid_param`.
 */
export async function prepareWire(
  { engine }: { engine: Engine },
  wire: Wire,
  wireCall: WireCall,
  isStream: boolean,
): Promise<PreparedWire> {
  const resolved = resolveChat(engine, wireCall);
  const request = JSON.parse(Buffer.from(wireCall.body).toString("utf8")) as JsonObject;
  const translated = new Map<Slot, ChatCall>();
  const chain: Slot[] = [];
  let refusal: GatewayError | undefined;
  for (const slot of resolved.chain) {
    try {
      if (wire.nativePathOf(slot) === undefined) {
        const body = wire.toChat(request, slot, resolved.passes);
        await checkOne(resolved, slot, { ...body, ...limitOf(wireCall), stream: isStream });
        translated.set(slot, chatCallOf(wireCall, body));
      }
      chain.push(slot);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      refusal ??= named(error, wire);
    }
  }
  if (chain.length === 0 && refusal !== undefined) throw refusal;
  const model = { ...resolved, chain };
  const call = chatCallOf(wireCall, {});
  return {
    wire,
    wireCall,
    request,
    translated,
    call,
    model,
    session: undefined,
    hold: planHold(call, model, call.prompt, isStream),
    promptCharacters: call.prompt?.textCharacters ?? 0n,
  };
}

async function checkOne(model: Model, slot: Slot, request: JsonObject): Promise<void> {
  await checkChat({ ...model, chain: [slot] }, () => request);
}

function limitOf({ maxTokens }: WireCall): JsonObject {
  return maxTokens === undefined ? {} : { max_completion_tokens: Number(maxTokens) };
}

function chatCallOf(
  { caller, alias, prompt, maxTokens }: WireCall,
  { messages = [], ...body }: JsonObject,
): ChatCall {
  return {
    $typeName: "tollgate.v1.ChatCall",
    ...(caller === undefined ? {} : { caller }),
    alias,
    body: Buffer.from(JSON.stringify(body)),
    choices: 1,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    maxTokensField: "",
    ...(prompt === undefined ? {} : { prompt }),
    messages: [Buffer.from(JSON.stringify(messages))],
    sessionId: "",
  };
}

/** Returns an error with the name of the wire's member in place of the chat completion's. */
function named(error: GatewayError, wire: Wire): GatewayError {
  const { code, message, param } = error;
  if (param === undefined) return error;
  const [member = ""] = param.split(/[.[]/, 1);
  const name = wire.memberOf(member);
  if (name === member) return error;
  const rest = message.startsWith(param)
    ? message.slice(param.length)
    : ` is not valid: ${message}`;
  return new GatewayError(code, `${name}${rest}`, { param: name, cause: error });
}
