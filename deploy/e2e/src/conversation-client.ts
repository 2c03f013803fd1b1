import { type Answer, chatBody, send } from "./request.ts";
import type { Account, Stack } from "./stack.ts";

type Body = Record<string, unknown>;

export interface ConversationDetail {
  turn_count: number;
  turns: { index: number; messages: unknown; response: Body; usage: Body; request_id: string }[];
  cost_summary: { total_cost: number; items: { request_id: string; cost: number }[] };
}

/** Whom a call is made as, and to which replica, where it is not the usual ones. */
export interface To {
  key?: string;
  url?: string;
}

/** How a client talks in conversations, reads and deletes them. */
export interface ConversationClient {
  /** Sends a turn of one user message. */
  say(sessionId: string, content: unknown, more?: Body, to?: To): Promise<Answer>;
  /** Calls the conversations' own route, or what lies behind it. */
  call(method: string, path?: string, to?: To): Promise<Answer>;
  detail(id: string, to?: To): Promise<ConversationDetail>;
  /** What the provider was sent last, by anybody. */
  lastMessages(): Body[];
}

export function conversationClient(stack: Stack, account: Account): ConversationClient {
  const { simulator } = stack;
  const usual = { key: account.key, url: stack.url };

  function call(method: string, path = "", to: To = {}): Promise<Answer> {
    const { key, url } = { ...usual, ...to };
    return send(`${url}/v1/conversations${path}`, { method, key });
  }

  return {
    say(sessionId, content, more = {}, to = {}) {
      const { key, url } = { ...usual, ...to };
      const messages = [{ role: "user", content }];
      const body = chatBody({ session_id: sessionId, messages, ...more });
      return send(`${url}/v1/chat/completions`, { key, body });
    },
    call,
    async detail(id, to) {
      return (await call("GET", `/${id}`, to)).body as ConversationDetail;
    },
    lastMessages() {
      const body = simulator.calls.list().at(-1)?.body as { messages: Body[] } | undefined;
      return body?.messages ?? [];
    },
  };
}
