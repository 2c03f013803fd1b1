import { expect } from "vitest";
import type { HttpResponse } from "./http-response.ts";
import { send } from "./request.ts";
import type { Stack, TestAccount } from "./stack.ts";

export interface KeyedOptions {
  path?: string;
  url?: string;
  owner?: TestAccount;
}

/** Sends a request under an idempotency key. */
export type KeyedPost = (
  idempotencyKey: string,
  body: unknown,
  options?: KeyedOptions,
) => Promise<HttpResponse>;

/** Returns a client that sends chat requests of `account`, unless `options` say otherwise. */
export function idempotencyClient(stack: Stack, account: TestAccount): KeyedPost {
  return (idempotencyKey, body, options = {}) => {
    const { path = "/v1/chat/completions", url = stack.url, owner = account } = options;
    const headers = { "idempotency-key": idempotencyKey };
    return send(`${url}${path}`, { key: owner.key, body, headers });
  };
}

/** Checks that a response is the replay of another. */
export function expectReplay(response: HttpResponse, original: HttpResponse): void {
  expect(response.status).toBe(200);
  expect(response.text).toBe(original.text);
  expect(response.headers.get("idempotency-replayed")).toBe("true");
  expect(original.headers.get("idempotency-replayed")).toBeNull();
  for (const name of ["x-request-id", "content-type"]) {
    expect(response.headers.get(name)).toBe(original.headers.get(name));
  }
}
