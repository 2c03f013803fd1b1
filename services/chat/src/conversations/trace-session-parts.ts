import { traced } from "@tollgate/core/tracing/traced";
import type { Tracer } from "@tollgate/core/tracing/tracer";
import type { SessionParts } from "./session.ts";

/** What sessions stand on, with spans for the wait for a conversation and for keeping its turn. */
export function traceSessionParts({ store, locks, log }: SessionParts, tracer: Tracer) {
  const span = (name: string) => tracer.start(name, "internal", {});
  return {
    log,
    locks: {
      ...locks,
      take: (...order) => traced(tracer, span("wait for conversation"), () => locks.take(...order)),
    },
    store: {
      ...store,
      append: (...turn) => traced(tracer, span("keep turn"), () => store.append(...turn)),
    },
  } satisfies SessionParts;
}
