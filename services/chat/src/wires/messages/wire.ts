import { GatewayError } from "@tollgate/core/errors";
import { isJsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { Wire } from "../wire.ts";
import { readMessageEvents } from "./read-events.ts";
import { chatFromMessages, messagesMemberOf } from "./request.ts";
import { messageFromChat } from "./response.ts";
import { withoutForeignThinking } from "./thinking.ts";
import { writeMessageEvents } from "./write-events.ts";

/** Anthropic's Messages API: https://docs.claude.com/en/api/messages */
export const messagesWire: Wire = {
  limitMember: "max_tokens",
  nativePathOf: ({ provider, path }) => (provider.kind === "anthropic" ? path : undefined),
  checkLimit({ thinking }, maxTokens) {
    const budget = isJsonObject(thinking) ? Number(thinking.budget_tokens ?? 0) : 0;
    if (maxTokens > budget) return;
    const message =
      `The wallet pays for ${maxTokens} tokens of output, and the thinking budget is ${budget}. ` +
      "Lower thinking.budget_tokens, or add credit.";
    throw new GatewayError("credit_balance_exhausted", message);
  },
  toChat: chatFromMessages,
  withoutForeignThinking,
  memberOf: messagesMemberOf,
  // Claude Code looks for Anthropic's words.
  describeLength: (hint) => ({
    param: "messages",
    message: /prompt is too long/i.test(hint) ? hint : `prompt is too long: ${hint}`,
  }),
  fromChat: messageFromChat,
  writeEvents: writeMessageEvents,
  readResponse(response) {
    if (response.type === "message" && Array.isArray(response.content)) {
      return { usage: response.usage, text: JSON.stringify(response.content) };
    }
    throw new SlotFailure("rejected", "the provider's response is not a message");
  },
  readEvents: readMessageEvents,
};
