import type { Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { emptyResponse } from "../chat/completion.ts";
import { type ForwardedRequest, forwardRequest, ownBody } from "../forward-request.ts";
import { parseBody } from "../parse-body.ts";
import { describeRefusal } from "../refusal.ts";
import { type Translation, translateForSlots } from "../translated-slots.ts";
import type { Wire } from "../wire.ts";
import { ForwardedResponse, TranslatedResponse } from "../written-response.ts";
import { mayHaveForeignBlocks, withoutForeignBlocks } from "./foreign-blocks.ts";
import { messageOfBlock, readMessageEvents } from "./read-events.ts";
import { chatFromMessages, messagesMemberOf } from "./request.ts";
import { messageFromChat } from "./response.ts";
import { messagesTools, toolCallInBlock } from "./tool-calls.ts";
import { isEmptyMessage, messageStopReason, wholeMessage } from "./whole-message.ts";
import { writeMessageEvents } from "./write-events.ts";

const translation: Translation = {
  nativePathOf: ({ provider, path }) =>
    provider.kind.nativeWires.has("messages") ? path : undefined,
  toChat: chatFromMessages,
  memberOf: messagesMemberOf,
};

/** Without the member, Anthropic takes the priority tier where the gateway's account has one. */
const standardTier = { service_tier: '"standard_only"' };

const form: ForwardedRequest = {
  limitMember: "max_tokens",
  ownMembers: (allows) => (allows.has("priority") ? {} : standardTier),
  checkLimit,
  mayBeForeign: mayHaveForeignBlocks,
  withoutForeign: withoutForeignBlocks,
};

/** Anthropic's Messages API: https://docs.claude.com/en/api/messages */
export const messagesWire: Wire = {
  idPrefix: "msg_",
  keepsIds: false,
  parse: parseBody,
  findSlots: (client, model, isStream) => translateForSlots(translation, client, model, isStream),
  post: (providers, client, slot, sending) =>
    forwardRequest(providers, form, client, slot, { ...sending, path: slot.path }),
  isEmpty: isEmptyMessage,
  readResponse(response, context) {
    const message = wholeMessage(response.value);
    if (isEmptyMessage(message)) throw emptyResponse();
    const { content, stop_reason: reason, usage } = message;
    const generated = {
      reported: context.readUsageBlock(usage),
      messages: content.map(messageOfBlock),
      toolCalls: content.flatMap((block) => toolCallInBlock(block) ?? []),
    };
    const ours = {
      ...(typeof reason === "string" ? {} : { stop_reason: messageStopReason(message) }),
      ...(content === response.value.content ? {} : { content }),
    };
    return new ForwardedResponse(response, generated, context, ours);
  },
  offeredTools: messagesTools,
  readEvents: readMessageEvents,
  fromChat: (completion, context) => new TranslatedResponse(completion, context, messageFromChat),
  writeEvents: writeMessageEvents,
  describeFailure: (error, isNative) => describeRefusal(error, isNative, describeLength),
  ownBody: (client) => ownBody(form, client),
  countPathOf: (slot: Slot) => {
    const path = translation.nativePathOf(slot);
    return path === undefined ? undefined : `${path}/count_tokens`;
  },
};

function checkLimit({ thinking }: JsonObject, maxTokens: bigint): void {
  const budget = isJsonObject(thinking) ? Number(thinking.budget_tokens ?? 0) : 0;
  if (maxTokens > budget) return;
  const message =
    `The wallet pays for ${maxTokens} tokens of output, and the thinking budget is ${budget}. ` +
    "Lower thinking.budget_tokens, or add credit.";
  throw new GatewayError("credit_balance_exhausted", message);
}

/** Claude Code looks for Anthropic's words. */
function describeLength(hint: string) {
  const isOwn = /prompt is too long/i.test(hint);
  return { param: "messages", message: isOwn ? hint : `prompt is too long: ${hint}` };
}
