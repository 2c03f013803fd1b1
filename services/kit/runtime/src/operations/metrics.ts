import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** From a cached embedding to a long generation. */
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const firstTokenSeconds = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30];

/** What a process counts of itself. Labels are bounded: never a key, an account or a request. */
export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  return {
    registry,
    requests: counter("tollgate_requests_total", "Requests that the edge answered.", [
      "route",
      "alias",
      "status",
    ]),
    requestDuration: new Histogram({
      name: "tollgate_request_duration_seconds",
      help: "From a request's first byte to its answer's last.",
      labelNames: ["route", "alias"],
      buckets: requestSeconds,
      registers,
    }),
    firstToken: new Histogram({
      name: "tollgate_first_token_seconds",
      help: "From the hold to the first piece of a streamed answer.",
      labelNames: ["alias"],
      buckets: firstTokenSeconds,
      registers,
    }),
    tokens: counter("tollgate_tokens_total", "Tokens that were metered.", ["alias", "direction"]),
    cost: counter("tollgate_cost_nano_usd_total", "Cost that was metered, nano-USD.", [
      "route_type",
      "alias",
    ]),
    uncollected: counter(
      "tollgate_uncollected_nano_usd_total",
      "Cost that no wallet could pay, nano-USD, as the ledger wrote it on its entries.",
    ),
    holds: counter("tollgate_holds_total", "Holds that were asked for, by how that went.", [
      "result",
    ]),
    openHolds: gauge("tollgate_open_holds", "Holds of requests that this process is serving."),
    slotOut: gauge("tollgate_slot_out", "1 while a slot is taken out, 0 once it is back.", [
      "slot",
    ]),
    slotCalls: counter("tollgate_slot_calls_total", "Calls to slots, by how they went.", [
      "alias",
      "slot",
      "outcome",
    ]),
    usageEvents: counter("tollgate_usage_events_total", "Usage events, by the way they went.", [
      "way",
    ]),
    usageEventsWaiting: gauge(
      "tollgate_usage_events_waiting",
      "Usage events that the ledger is not yet known to have.",
    ),
    usageQueueLag: gauge(
      "tollgate_usage_queue_lag",
      "Usage events that the broker has and the ledger has not consumed.",
    ),
    requestsInFlight: gauge("tollgate_requests_in_flight", "Requests that are being served."),
    openSockets: gauge("tollgate_open_sockets", "Live audio connections."),
  };
}

/** Adds what Node.js tells of the process itself. */
export function addProcessMetrics({ registry }: Metrics): void {
  collectDefaultMetrics({ register: registry });
}
