import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** From a cached embedding to a long generation. */
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const firstTokenSeconds = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30];

/**
 * The metrics of a process. Labels have few values: never a key, an account or a request id.
 */
export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Creates the metrics, empty.
 *
 * Longer than 70 lines: it has a line or two for each metric.
 */
export function createMetrics() {
  const registry = new Registry();
  const factories = factoriesFor(registry);
  const { counter, gauge, histogram } = factories;
  return {
    registry,
    ...consoleMetrics(factories),
    ...usageMetrics(factories),
    ...slotMetrics(factories),
    ...catalogMetrics(factories),
    requests: counter("tollgate_requests_total", "Requests that the edge has responded to.", [
      "route",
      "alias",
      "status",
    ]),
    requestDuration: histogram(
      "tollgate_request_duration_seconds",
      "Time from the first byte of a request to the last byte of its response.",
      ["route", "alias"],
      requestSeconds,
    ),
    firstToken: histogram(
      "tollgate_first_token_seconds",
      "Time from the hold to the first chunk of a streamed response.",
      ["alias"],
      firstTokenSeconds,
    ),
    holds: counter("tollgate_holds_total", "Holds requested, by result.", ["result"]),
    limitRefusals: counter(
      "tollgate_limit_refusals_total",
      "Requests that a limit or the policy of a key or account refused, by limit.",
      ["limit"],
    ),
    droppedBetas: counter(
      "tollgate_dropped_betas_total",
      "Betas in anthropic-beta headers that were not sent to providers.",
    ),
    openHolds: gauge("tollgate_open_holds", "Open holds of the requests of this process."),
    usageEvents: counter(
      "tollgate_usage_events_total",
      "Usage events delivered, by the sink that accepted them: broker or ledger.",
      ["sink"],
    ),
    usageEventsPending: gauge(
      "tollgate_usage_events_pending",
      "Usage events that the ledger has not confirmed.",
    ),
    usageQueueLag: gauge(
      "tollgate_usage_queue_lag",
      "Usage events in the broker that the ledger has not consumed.",
    ),
    requestsInFlight: gauge("tollgate_requests_in_flight", "Requests in progress."),
    bodyBytes: gauge("tollgate_body_bytes", "Bytes of JSON bodies that are being read."),
    uploadBytes: gauge("tollgate_upload_bytes", "Bytes of uploads on disk."),
    openSockets: gauge("tollgate_open_sockets", "Open WebSockets of live transcription."),
  };
}

function usageMetrics({ counter }: ReturnType<typeof factoriesFor>) {
  return {
    tokens: counter("tollgate_tokens_total", "Tokens metered.", ["alias", "direction"]),
    cost: counter("tollgate_cost_nano_usd_total", "Cost metered, in nano-USD.", [
      "route_type",
      "alias",
    ]),
    fallbackMeasures: counter(
      "tollgate_fallback_measures_total",
      "Requests whose usage the provider did not report, by model and by what was billed instead.",
      ["alias", "basis"],
    ),
    uncollected: counter(
      "tollgate_uncollected_nano_usd_total",
      "Cost that no wallet could pay, as recorded on ledger entries, in nano-USD.",
    ),
  };
}

function consoleMetrics({ counter, histogram }: ReturnType<typeof factoriesFor>) {
  return {
    consoleRequests: counter(
      "tollgate_console_requests_total",
      "Requests that the console has responded to.",
      ["route", "status"],
    ),
    consoleRequestDuration: histogram(
      "tollgate_console_request_duration_seconds",
      "Time from the first byte of a request to the console to the last byte of its response.",
      ["route"],
      requestSeconds,
    ),
  };
}

function slotMetrics({ counter, gauge }: ReturnType<typeof factoriesFor>) {
  return {
    slotOut: gauge("tollgate_slot_out", "1 while a slot serves nobody, else 0.", ["slot"]),
    keyRefused: gauge(
      "tollgate_provider_key_refused",
      "1 while a provider refuses the gateway's key or wants to be paid, else 0.",
      ["provider", "key"],
    ),
    keyCalls: counter(
      "tollgate_provider_key_calls_total",
      "Calls with the keys of providers that have several, by outcome.",
      ["provider", "key", "outcome"],
    ),
    slotsPassedOver: counter(
      "tollgate_slots_passed_over_total",
      "Slots that a request did not attempt, by reason.",
      ["alias", "slot", "reason"],
    ),
    slotCalls: counter("tollgate_slot_calls_total", "Calls to slots, by outcome.", [
      "alias",
      "slot",
      "outcome",
    ]),
  };
}

function catalogMetrics({ gauge }: ReturnType<typeof factoriesFor>) {
  return {
    catalogRevision: gauge(
      "tollgate_catalog_revision",
      "The revision of the catalog that the process serves; 0 for none, and for a file.",
    ),
    catalogRefused: gauge(
      "tollgate_catalog_refused",
      "1 while the process refuses the newest revision or file of the catalog, else 0.",
    ),
  };
}

/** Returns functions that create metrics in a registry. */
function factoriesFor(registry: Registry) {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const histogram = <L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    buckets: number[],
  ) => new Histogram({ name, help, labelNames, buckets, registers });
  return { counter, gauge, histogram };
}

/**
 * How often the event loop's lag is sampled. Each sample wakes a process at rest: with Node's default
 * of 10 ms that was most of the CPU that it took. The reported lag includes this time.
 */
const lagSampleMs = 100;

/** Adds the metrics of Node.js and of the operating system's process. */
export function addProcessMetrics({ registry }: Metrics): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagSampleMs });
}
