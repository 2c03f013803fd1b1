import { expect } from "vitest";
import type { HttpResponse } from "./http-response.ts";
import { send } from "./request.ts";
import type { Stack, TestAccount } from "./stack.ts";

/** Sends small requests of Anthropic's wire. */
export interface MessagesClient {
  /** Sends "Hello there" to a model, with `more` members. */
  post(model: string, more?: object, headers?: Record<string, string>): Promise<HttpResponse>;
}

export function messagesClient(stack: Stack, { key }: TestAccount): MessagesClient {
  return {
    post(model, more = {}, headers = {}) {
      const messages = [{ role: "user", content: "Hello there" }];
      const body = { model, max_tokens: 50, messages, ...more };
      return send(`${stack.url}/v1/messages`, { key, body, headers });
    },
  };
}

/** Checks that a response is an error in Anthropic's form. */
export function expectMessagesError(
  { status, body }: HttpResponse,
  expected: number,
  code: string,
): void {
  expect([status, body]).toMatchObject([expected, { type: "error", error: { code } }]);
}
