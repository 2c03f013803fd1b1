import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@tollgate/core/errors";
import { tellFailure } from "@tollgate/core/tracing/failure";
import { traced, tracedItems } from "@tollgate/core/tracing/traced";
import type { Span, Tracer } from "@tollgate/core/tracing/tracer";
import { SlotFailure } from "@tollgate/upstream/failure";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOtlpTracer } from "./otlp.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parent = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${parent}-01`;

let tracer: Tracer;
const failures: string[] = [];

beforeAll(() => {
  const url = "http://127.0.0.1:1/v1/traces";
  const onFailure = (reason: string) => void failures.push(reason);
  tracer = createOtlpTracer({ url, serviceName: "spec", share: 1, onFailure });
});

afterAll(() => tracer.stop(1));

function begin(name: string): Span {
  return tracer.start(name, "internal", {});
}

describe("the current span", () => {
  it("is there for what its work awaits, and gone after it", async () => {
    const span = begin("outer");
    await traced(tracer, span, async () => {
      await sleep(1);
      expect(tracer.current()).toBe(span);
      expect(begin("inner").traceId).toBe(span.traceId);
    });
    expect(tracer.current()).toBeUndefined();
    expect(begin("other").traceId).not.toBe(span.traceId);
  });

  it("is there in a generator however its items are asked for, and not for who asks", async () => {
    const span = begin("stream");
    const seen: unknown[] = [];
    async function* items() {
      try {
        for (let item = 0; item < 3; item += 1) {
          seen.push(tracer.current());
          yield item;
        }
      } finally {
        seen.push(tracer.current());
      }
    }
    for await (const item of tracedItems(tracer, () => span, items)) {
      expect(tracer.current()).toBeUndefined();
      if (item === 1) break;
    }
    expect(seen).toEqual([span, span, span]);
  });
});

describe("a trace that goes on", () => {
  it("keeps its id and what vendors wrote, and names our span", () => {
    const tracestate = "vendor=1";
    const span = tracer.resume("taken", "server", {}, { traceparent, tracestate });
    expect(span.traceId).toBe(traceId);
    expect(span.headers.tracestate).toBe(tracestate);
    expect(span.headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    expect(span.headers.traceparent).not.toContain(parent);
  });

  it("stays unsampled where its caller decided so", () => {
    const from = { traceparent: traceparent.replace(/01$/, "00") };
    expect(tracer.resume("taken", "server", {}, from).headers.traceparent).toMatch(/-00$/);
  });

  it.each([
    undefined,
    "",
    "nonsense",
    `00-${"0".repeat(32)}-${parent}-01`,
  ])("begins anew where the caller's is %s", (bad) => {
    const from = bad === undefined ? undefined : { traceparent: bad };
    const { traceId: own } = tracer.resume("taken", "server", {}, from);
    expect(own).toMatch(/^[0-9a-f]{32}$/);
    expect(own).not.toBe(traceId);
  });
});

describe("a failure", () => {
  const told: [Span["kind"], unknown, unknown][] = [
    ["server", new GatewayError("invalid_param", "quotes a prompt"), { set: "invalid_param" }],
    ["client", new GatewayError("invalid_param", "quotes a prompt"), { failed: "invalid_param" }],
    ["server", new GatewayError("upstream_rejected", "quotes it"), { failed: "upstream_rejected" }],
    ["client", new SlotFailure("rejected", "quotes it", { status: 503 }), { failed: "503" }],
    ["client", new SlotFailure("unreachable", "names a host"), { failed: "unreachable" }],
    ["internal", new TypeError("names an account"), { failed: "TypeError" }],
  ];
  it.each(told)("of a %s span tells its code, never its words: %s", (kind, error, expected) => {
    const said: Record<string, unknown> = {};
    const span = {
      kind,
      set(attributes: Record<string, unknown>) {
        said.set = attributes["error.type"];
      },
      fail(type: string) {
        said.failed = type;
      },
    };
    tellFailure(span as unknown as Span, error);
    expect(said).toEqual(expected);
  });

  it("to send is told once a minute, and does not keep the end of the process", async () => {
    const server = createServer((_req, res) => res.writeHead(400).end()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const reasons: string[] = [];
    const other = createOtlpTracer({
      url: `http://127.0.0.1:${port}/v1/traces`,
      serviceName: "spec",
      share: 1,
      onFailure: (reason) => void reasons.push(reason),
    });
    for (let span = 0; span < 2_000; span += 1) other.start("many", "internal", {}).end();
    await other.stop(20_000);
    server.close();
    expect(reasons).toHaveLength(1);

    const hung = createServer(() => {}).listen(0, "127.0.0.1");
    await once(hung, "listening");
    const url = `http://127.0.0.1:${(hung.address() as AddressInfo).port}/v1/traces`;
    const stuck = createOtlpTracer({ url, serviceName: "spec", share: 1, onFailure() {} });
    stuck.start("one", "internal", {}).end();
    const startedAt = performance.now();
    await stuck.stop(200);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    hung.close();
    hung.closeAllConnections();
  });
});
