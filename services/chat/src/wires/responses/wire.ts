import type { Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import { emptyResponse } from "../chat/completion.ts";
import { type ForwardedRequest, forwardRequest } from "../forward-request.ts";
import { parseBody } from "../parse-body.ts";
import { describeRefusal } from "../refusal.ts";
import { type Translation, translateForSlots } from "../translated-slots.ts";
import type { Wire } from "../wire.ts";
import { ForwardedResponse, TranslatedResponse } from "../written-response.ts";
import { mayHaveForeignReasoning, withoutForeignReasoning } from "./foreign-reasoning.ts";
import { messageOfItem, readResponseEvents, usageOfResponse } from "./read-events.ts";
import { chatFromResponses, responsesMemberOf } from "./request.ts";
import { responseFromChat } from "./response.ts";
import { responsesTools, toolCallIn } from "./tool-calls.ts";
import { isEmptyResponse, isFinal, wholeResponse } from "./whole-response.ts";
import { writeResponseEvents } from "./write-events.ts";

const translation: Translation = {
  nativePathOf: (slot) => (slot.provider.responses ? pathOf(slot) : undefined),
  toChat: chatFromResponses,
  memberOf: responsesMemberOf,
};

const form: ForwardedRequest = {
  limitMember: "max_output_tokens",
  ownMembers: () => ({}),
  checkLimit,
  mayBeForeign: mayHaveForeignReasoning,
  withoutForeign: withoutForeignReasoning,
};

/** OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses */
export const responsesWire: Wire = {
  idPrefix: "resp_",
  keepsIds: false,
  parse: parseBody,
  findSlots: (client, model, isStream) => translateForSlots(translation, client, model, isStream),
  post: (providers, client, slot, sending) =>
    forwardRequest(providers, form, client, slot, { ...sending, path: pathOf(slot) }),
  isEmpty: isEmptyResponse,
  readResponse(response, context) {
    const { status, output } = wholeResponse(response.value);
    if (isEmptyResponse(response.value)) throw emptyResponse();
    const generated = {
      reported: usageOfResponse(response.value, context),
      messages: output.map(messageOfItem),
      toolCalls: output.flatMap((item) => toolCallIn(item) ?? []),
    };
    const ours = {
      ...(isFinal(status) ? {} : { status: "completed" }),
      ...(output === response.value.output ? {} : { output }),
    };
    return new ForwardedResponse(response, generated, context, ours);
  },
  offeredTools: responsesTools,
  readEvents: readResponseEvents,
  fromChat: (completion, context) => new TranslatedResponse(completion, context, responseFromChat),
  writeEvents: writeResponseEvents,
  describeFailure: (error, isNative) =>
    describeRefusal(error, isNative, (message) => ({ param: "input", message })),
};

const chatPath = /\/chat\/completions(?=\?|$)/;

function pathOf({ path }: Slot): string {
  return chatPath.test(path) ? path.replace(chatPath, "/responses") : "/responses";
}

/** https://platform.openai.com/docs/api-reference/responses/create#responses-create-max_output_tokens */
const leastTokens = 16n;

function checkLimit(_request: JsonObject, maxTokens: bigint): void {
  if (maxTokens >= leastTokens) return;
  const message =
    `The wallet pays for ${maxTokens} tokens of output, and the provider generates ${leastTokens} at ` +
    "least. Add credit.";
  throw new GatewayError("credit_balance_exhausted", message);
}
