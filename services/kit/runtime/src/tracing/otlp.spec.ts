import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Span, type SpanStatus, trace } from "@opentelemetry/api";
import { GatewayError } from "@tollgate/core/errors";
import {
  headersOfSpan,
  recordFailure,
  recordServerFailure,
  type TraceHeaders,
  traceContextOf,
  traced,
  tracedItems,
  tracer,
} from "@tollgate/core/tracing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { registerOtlp } from "./otlp.ts";
import type { Tracing } from "./tracing.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parent = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${parent}-01`;

let tracing: Tracing | undefined;

function register(port: number, onFailure: (reason: string) => void = () => {}): Tracing {
  const url = `http://127.0.0.1:${port}/v1/traces`;
  tracing = registerOtlp({ url, serviceName: "spec", share: 1, onFailure });
  return tracing;
}

function resume(headers: TraceHeaders | undefined): Span {
  return tracer.startSpan("resumed", {}, traceContextOf(headers));
}

afterEach(() => tracing?.stop(1));

describe("the active span", () => {
  beforeEach(() => void register(1));

  it("is active for what its work awaits, and not after it", async () => {
    const span = tracer.startSpan("outer");
    await traced(span, async () => {
      await sleep(1);
      expect(trace.getActiveSpan()).toBe(span);
      const inner = tracer.startSpan("inner").spanContext();
      expect(inner.traceId).toBe(span.spanContext().traceId);
    });
    expect(trace.getActiveSpan()).toBeUndefined();
    expect(tracer.startSpan("other").spanContext().traceId).not.toBe(span.spanContext().traceId);
  });

  it("is active inside a generator, and not for the caller that reads its items", async () => {
    const span = tracer.startSpan("stream");
    const seen: unknown[] = [];
    async function* items() {
      try {
        for (let item = 0; item < 3; item += 1) {
          seen.push(trace.getActiveSpan());
          yield item;
        }
      } finally {
        seen.push(trace.getActiveSpan());
      }
    }
    for await (const item of tracedItems(() => span, items)) {
      expect(trace.getActiveSpan()).toBeUndefined();
      if (item === 1) break;
    }
    expect(seen).toEqual([span, span, span]);
  });
});

describe("a trace that was started elsewhere", () => {
  beforeEach(() => void register(1));

  it("retains its id and its vendors' state, and names our span as the parent", () => {
    const tracestate = "vendor=1";
    const span = resume({ traceparent, tracestate });
    expect(span.spanContext().traceId).toBe(traceId);
    expect(headersOfSpan(span).tracestate).toBe(tracestate);
    expect(headersOfSpan(span).traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    expect(headersOfSpan(span).traceparent).not.toContain(parent);
  });

  it("stays unsampled where its caller does not sample it", () => {
    const from = { traceparent: traceparent.replace(/01$/, "00") };
    expect(headersOfSpan(resume(from)).traceparent).toMatch(/-00$/);
  });

  it.each([
    undefined,
    "",
    "nonsense",
    `00-${"0".repeat(32)}-${parent}-01`,
  ])("is replaced by a new one where its traceparent is %s", (bad) => {
    const from = bad === undefined ? undefined : { traceparent: bad };
    const { traceId: own } = resume(from).spanContext();
    expect(own).toMatch(/^[0-9a-f]{32}$/);
    expect(own).not.toBe(traceId);
  });
});

describe("a failure", () => {
  const refusal = new GatewayError("invalid_param", "quotes a prompt");
  const failure = new GatewayError("upstream_rejected", "quotes it");
  const bug = new TypeError("names an account");
  const recorded: [typeof recordFailure, unknown, string, boolean][] = [
    [recordServerFailure, refusal, "invalid_param", false],
    [recordFailure, refusal, "invalid_param", true],
    [recordServerFailure, failure, "upstream_rejected", true],
    [recordFailure, bug, "TypeError", true],
  ];
  it.each(recorded)("is recorded by its code, never by its message: %o, %s", (...row) => {
    const [record, error, type, isFailed] = row;
    const seen: { type?: unknown; status?: string | undefined } = {};
    const span = {
      setAttribute(name: string, value: unknown) {
        if (name === "error.type") seen.type = value;
      },
      setStatus({ message }: SpanStatus) {
        seen.status = message;
      },
    };
    record(span as unknown as Span, error);
    expect(seen).toEqual(isFailed ? { type, status: type } : { type });
  });

  it("to send spans is reported once a minute, and does not delay the end", async () => {
    const server = createServer((_req, res) => res.writeHead(400).end()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const reasons: string[] = [];
    const refused = register((server.address() as AddressInfo).port, (reason) => {
      reasons.push(reason);
    });
    // The tracer of all services keeps the first provider of its process.
    const others = trace.getTracer("spec");
    for (let span = 0; span < 2_000; span += 1) others.startSpan("many").end();
    await refused.stop(20_000);
    server.close();
    expect(reasons).toHaveLength(1);

    const hung = createServer(() => {}).listen(0, "127.0.0.1");
    await once(hung, "listening");
    const stuck = register((hung.address() as AddressInfo).port);
    trace.getTracer("spec").startSpan("one").end();
    const startedAt = performance.now();
    await stuck.stop(200);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    hung.close();
    hung.closeAllConnections();
  });
});
