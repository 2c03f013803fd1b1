import { Counter, Gauge, Histogram } from "prom-client";

/** Preloaded into a gateway, this module turns all metrics into no-ops. */
const noop = () => {};
Object.assign(Counter.prototype, { inc: noop, incWithoutExemplar: noop });
Object.assign(Gauge.prototype, { inc: noop, dec: noop, set: noop });
Object.assign(Histogram.prototype, { observe: noop, observeWithoutExemplar: noop });
