import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** A collector that stores the spans it receives: OTLP over HTTP, as JSON. */
export interface TraceReceiver {
  /** The value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string;
  /** Ordered by start. */
  spans(): ReceivedSpan[];
  /** Every request body. */
  raw(): string;
  close(): Promise<void>;
}

export interface ReceivedSpan {
  service: string;
  name: string;
  kind: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  startNs: bigint;
  endNs: bigint;
  attributes: Record<string, unknown>;
  events: string[];
  /** The reason of a failed span. */
  failure: string | undefined;
}

export async function startTraceReceiver(): Promise<TraceReceiver> {
  const requests: ExportRequest[] = [];
  const server = createServer(async (req, res) => {
    if (req.method !== "POST" || req.url !== "/v1/traces") return void res.writeHead(404).end();
    requests.push((await json(req)) as ExportRequest);
    res.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => requests.flatMap(spansOf).sort((a, b) => Number(a.startNs - b.startNs)),
    raw: () => JSON.stringify(requests),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Returns the context of a trace that a client begins, with the header that it sends. */
export function newTrace() {
  const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-01` } };
}

/**
 * Returns a trace as lines. Each span follows its parent, indented: its kind, its name, and in
 * brackets the reason if it failed.
 */
export function treeOf(spans: readonly ReceivedSpan[], parentSpanId?: string, depth = 0): string[] {
  return spans
    .filter((span) => span.parentSpanId === parentSpanId)
    .flatMap((span) => {
      const failure = span.failure === undefined ? "" : ` [${span.failure}]`;
      const line = `${"  ".repeat(depth)}${span.kind} ${span.name}${failure}`;
      return [line, ...treeOf(spans, span.spanId, depth + 1)];
    });
}

interface ExportRequest {
  resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: { spans: OtlpSpan[] }[];
  }[];
}

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: KeyValue[];
  events: { name: string }[];
  status: { code: number; message?: string };
}

interface KeyValue {
  key: string;
  value: { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean };
}

const kinds = ["unspecified", "internal", "server", "client", "producer", "consumer"];
const failed = 2;

function spansOf({ resourceSpans }: ExportRequest): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)["service.name"]);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => toSpan(service, span)));
  });
}

function toSpan(service: string, span: OtlpSpan): ReceivedSpan {
  const { name, traceId, spanId, parentSpanId, status } = span;
  return {
    service,
    name,
    kind: kinds[span.kind] ?? "unspecified",
    traceId,
    spanId,
    parentSpanId: parentSpanId === "" ? undefined : parentSpanId,
    startNs: BigInt(span.startTimeUnixNano),
    endNs: BigInt(span.endTimeUnixNano),
    attributes: valuesOf(span.attributes),
    events: span.events.map((event) => event.name),
    failure: status.code === failed ? (status.message ?? "") : undefined,
  };
}

function valuesOf(pairs: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}
