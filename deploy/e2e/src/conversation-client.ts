import type { HttpResponse } from "./http-response.ts";
import { chatBody, send } from "./request.ts";
import type { Stack, TestAccount } from "./stack.ts";

type Body = Record<string, unknown>;

export interface ConversationDetail {
  turn_count: number;
  turns: { index: number; messages: unknown; response: Body; usage: Body; request_id: string }[];
  cost_summary: { total_cost: number; items: CostItem[] };
}

interface CostItem {
  request_id: string;
  cost: number;
  lines: { dimension: string; quantity: number; cost: number }[];
}

/** Another key or replica than the client's own. */
export interface To {
  key?: string;
  url?: string;
}

/** Takes turns in conversations, reads and deletes them. */
export interface ConversationClient {
  /** Sends a turn of one user message. */
  say(sessionId: string, content: unknown, more?: Body, to?: To): Promise<HttpResponse>;
  /** Calls the conversations route, or a path below it. */
  call(method: string, path?: string, to?: To): Promise<HttpResponse>;
  detail(id: string, to?: To): Promise<ConversationDetail>;
  /** Returns the messages that the provider received last from any client. */
  lastMessages(): Body[];
}

export function conversationClient(stack: Stack, account: TestAccount): ConversationClient {
  const { simulator } = stack;
  const usual = { key: account.key, url: stack.url };

  function call(method: string, path = "", to: To = {}): Promise<HttpResponse> {
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
