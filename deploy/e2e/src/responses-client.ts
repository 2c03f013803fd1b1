import type { HttpResponse } from "./http-response.ts";
import { send } from "./request.ts";
import type { Stack, TestAccount } from "./stack.ts";

/** Sends small requests of the Responses API. */
export interface ResponsesClient {
  /** Sends "Hello there" to a model, with `more` members. */
  post(model: string, more?: object, headers?: Record<string, string>): Promise<HttpResponse>;
}

export function responsesClient(stack: Stack, { key }: TestAccount): ResponsesClient {
  return {
    post(model, more = {}, headers = {}) {
      const body = { model, input: "Hello there", ...more };
      return send(`${stack.url}/v1/responses`, { key, body, headers });
    },
  };
}
