import type { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import type { Client } from "@tollgate/rpc/implementation";
import { eventStreamType, jsonType } from "../answer.ts";
import type { BillableRoute } from "../billable.ts";
import type { RateWindows } from "../rate-windows.ts";
import { eventStream } from "../sse.ts";
import { parseChat } from "./chat-call.ts";

/** The longest that a chat completion may take, from the first byte in to the last one out. */
const timeoutMs = 30 * 60 * 1_000;

/** POST /v1/chat/completions, with the rate headers on every answer. */
export function chatCompletions(
  chat: Client<typeof ChatService>,
  rates: RateWindows,
): BillableRoute {
  return {
    conversationOf: ({ session_id: id }) => (typeof id === "string" ? id.toLowerCase() : undefined),
    headers: ({ keyId }) => rates.headers(keyId),
    parse(body, text) {
      const { stream, call } = parseChat(body, text);
      return async (caller, options) => {
        const { keyId } = caller;
        const request = { call: { ...call, caller } };
        rates.countRequest(keyId);
        if (stream) {
          const answers = chat.stream(request, { ...options, timeoutMs });
          const events = eventStream(answers, ({ chunks, totalTokens }) => {
            rates.countTokens(keyId, Number(totalTokens));
            return chunks;
          });
          return { contentType: eventStreamType, events };
        }
        const answer = await chat.complete(request, { ...options, timeoutMs });
        rates.countTokens(keyId, Number(answer.totalTokens));
        return { contentType: jsonType, body: answer.body };
      };
    },
  };
}
