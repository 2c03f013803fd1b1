import { GatewayError } from "@tollgate/core/errors";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { Wire } from "../wire.ts";
import { withoutForeignReasoning } from "./input.ts";
import { readResponseEvents } from "./read-events.ts";
import { chatFromResponses, responsesMemberOf } from "./request.ts";
import { responseFromChat } from "./response.ts";
import { writeResponseEvents } from "./write-events.ts";

/** https://platform.openai.com/docs/api-reference/responses/create#responses-create-max_output_tokens */
const leastTokens = 16n;

const chatPath = /\/chat\/completions(?=\?|$)/;

/** OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses */
export const responsesWire: Wire = {
  limitMember: "max_output_tokens",
  nativePathOf({ provider, path }) {
    if (!provider.responses) return undefined;
    return chatPath.test(path) ? path.replace(chatPath, "/responses") : "/responses";
  },
  checkLimit(_request, maxTokens) {
    if (maxTokens >= leastTokens) return;
    const message =
      `The wallet pays for ${maxTokens} tokens of output, and the provider generates ${leastTokens} at ` +
      "least. Add credit.";
    throw new GatewayError("credit_balance_exhausted", message);
  },
  toChat: chatFromResponses,
  withoutForeignThinking: withoutForeignReasoning,
  memberOf: responsesMemberOf,
  describeLength: (message) => ({ param: "input", message }),
  fromChat: responseFromChat,
  writeEvents: writeResponseEvents,
  readResponse(response) {
    const isEnded = response.status === "completed" || response.status === "incomplete";
    if (isEnded && Array.isArray(response.output)) {
      return { usage: response.usage, text: JSON.stringify(response.output) };
    }
    throw new SlotFailure("rejected", "the provider's response is not a complete one");
  },
  readEvents: readResponseEvents,
};
