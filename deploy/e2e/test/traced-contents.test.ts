import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HttpResponse } from "../src/http-response.ts";
import { chatBody, send } from "../src/request.ts";
import { startStack } from "../src/stack.ts";
import { newTrace, startTraceReceiver, type TraceReceiver } from "../src/trace-receiver.ts";

describe("where the edge traces prompts and responses", () => {
  const path = "/v1/chat/completions";
  const question = { role: "user", content: "Who built the mill?" };
  const storing = newTrace();
  const other = newTrace();
  let receiver: TraceReceiver;
  let response: HttpResponse;

  beforeAll(async () => {
    receiver = await startTraceReceiver();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, TOLLGATE_TRACE_CONTENT: "on" };
    const stack = await startStack(env);
    const ask = (key: string, headers: Record<string, string>) =>
      send(`${stack.url}${path}`, {
        key,
        body: chatBody({ messages: [question], stream: true }),
        headers,
      });
    const { accountId: account, key } = await stack.newAccount(1);
    await stack.operator.updateContentDays({ account, days: 1 });
    response = await ask(key, storing.headers);
    await ask((await stack.newAccount(1)).key, other.headers);
    await stack.stop();
  });

  afterAll(() => receiver.close());

  const contentOf = ({ traceId }: { traceId: string }) => {
    const spans = receiver.spans().filter((span) => span.traceId === traceId);
    const attributes = spans.find(({ name }) => name === `POST ${path}`)?.attributes ?? {};
    return [attributes["gen_ai.input.messages"], attributes["gen_ai.output.messages"]].map(
      (text) => (text === undefined ? undefined : JSON.parse(String(text))),
    );
  };

  test("the span of a request has them only if its account stores them", () => {
    expect(response.status).toBe(200);
    const parts = [{ type: "text", content: expect.stringContaining("mill") }];
    expect(contentOf(storing)).toEqual([
      [{ role: "user", parts: [{ type: "text", content: question.content }] }],
      [{ role: "assistant", parts, finish_reason: "stop" }],
    ]);
    expect(contentOf(other)).toEqual([undefined, undefined]);
  });
});
