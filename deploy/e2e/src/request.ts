import { expect } from "vitest";
import { expectDocumented } from "./conformance.ts";
import type { HttpResponse } from "./http-response.ts";

/**
 * Sends one request. A `body` that is a string or bytes is sent unchanged, any other as JSON. The
 * response of a gateway is checked against its OpenAPI document.
 */
export async function send(
  url: string,
  options: {
    method?: string;
    key?: string | undefined;
    body?: unknown;
    headers?: Record<string, string>;
  } = {},
): Promise<HttpResponse> {
  const { key, body, headers = {} } = options;
  const raw = typeof body === "string" || body instanceof Uint8Array;
  const method = options.method ?? (body === undefined ? "GET" : "POST");
  const sent = raw ? (body as string | Uint8Array) : JSON.stringify(body);
  const fetched = await fetch(url, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: sent as string }),
  });
  const text = await fetched.text();
  const { status, headers: responseHeaders } = fetched;
  const response = { status, headers: responseHeaders, text, body: parse(text) };
  const requestBody = body === undefined ? undefined : await read(sent, headers["content-type"]);
  expectDocumented({ method, url, body: requestBody }, response);
  return response;
}

/** Larger forms are not parsed. */
const maxReadForm = 1024 * 1024;

/** Parses a body as JSON or as a form; undefined for any other. */
async function read(body: string | Uint8Array, contentType = ""): Promise<unknown> {
  if (!contentType.startsWith("multipart/form-data")) return parse(String(body));
  if (body.length > maxReadForm) return undefined;
  const headers = { "content-type": contentType };
  return new Response(body as string, { headers }).formData().catch(() => undefined);
}

export function requestIdOf({ headers }: HttpResponse): string | null {
  return headers.get("x-request-id");
}

/** Checks that a response is exactly the error envelope. */
export function expectEnvelope(
  response: HttpResponse,
  status: number,
  code: string,
  param?: string,
): void {
  expect([response.status, response.text]).toEqual([status, expect.any(String)]);
  const { error } = response.body as { error: Record<string, unknown> };
  expect(error).toMatchObject({ code, message: expect.any(String), type: expect.any(String) });
  expect(error.param).toBe(param);
  expect(Object.keys(response.body as object)).toEqual(["error"]);
  expect(response.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
  expect(response.headers.get("content-type")).toContain("application/json");
}

/** Returns a small chat request with `more` fields. */
export function chatBody(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { model: "test-small", messages: [{ role: "user", content: "Hello there" }], ...more };
}

/** Returns the request fields that carry a command to the simulator. */
export function simulate(command: string): { metadata: { simulate: string } } {
  return { metadata: { simulate: command } };
}

/** Returns the payloads of an event stream: parsed JSON, or the string `[DONE]`. */
export function eventsOf(text: string): unknown[] {
  return text
    .split("\n\n")
    .flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? [])
    .map((data) => (data === "[DONE]" ? data : parse(data)));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
