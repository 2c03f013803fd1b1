import { expect } from "vitest";
import { expectDocumented } from "./conformance.ts";

/** What came back of one plain HTTP request. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}

/**
 * Sends one request; `body` is sent as it is when it is a string or bytes, else as JSON. What a
 * gateway answers is held to its OpenAPI document.
 */
export async function send(
  url: string,
  options: {
    method?: string;
    key?: string | undefined;
    body?: unknown;
    headers?: Record<string, string>;
  } = {},
): Promise<Answer> {
  const { key, body, headers = {} } = options;
  const raw = typeof body === "string" || body instanceof Uint8Array;
  const method = options.method ?? (body === undefined ? "GET" : "POST");
  const sent = raw ? (body as string | Uint8Array) : JSON.stringify(body);
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: sent as string }),
  });
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, text, body: parse(text) };
  const asked = body === undefined ? undefined : await read(sent, headers["content-type"]);
  expectDocumented({ method, url, body: asked }, answer);
  return answer;
}

/** The largest form that is looked at. */
const maxReadForm = 1024 * 1024;

/** The JSON or the form that a body is; undefined for what is neither. */
async function read(body: string | Uint8Array, contentType = ""): Promise<unknown> {
  if (!contentType.startsWith("multipart/form-data")) return parse(String(body));
  if (body.length > maxReadForm) return undefined;
  const headers = { "content-type": contentType };
  return new Response(body as string, { headers }).formData().catch(() => undefined);
}

export function requestIdOf({ headers }: Answer): string | null {
  return headers.get("x-request-id");
}

/** Checks that an answer is an error in the envelope, to the letter. */
export function expectEnvelope(answer: Answer, status: number, code: string, param?: string): void {
  expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
  const { error } = answer.body as { error: Record<string, unknown> };
  expect(error).toMatchObject({ code, message: expect.any(String), type: expect.any(String) });
  expect(error.param).toBe(param);
  expect(Object.keys(answer.body as object)).toEqual(["error"]);
  expect(answer.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
  expect(answer.headers.get("content-type")).toContain("application/json");
}

/** A small chat request, with what the test is about on top. */
export function chatBody(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { model: "test-small", messages: [{ role: "user", content: "Hello there" }], ...more };
}

/** A command to the simulator, as it travels in a request. */
export function simulate(command: string): { metadata: { simulate: string } } {
  return { metadata: { simulate: command } };
}

/** The payloads of an event stream, `[DONE]` as the string it is. */
export function eventsOf(text: string): unknown[] {
  return text
    .split("\n\n")
    .filter((event) => event.startsWith("data: "))
    .map((event) => event.slice("data: ".length))
    .map((data) => (data === "[DONE]" ? data : parse(data)));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
