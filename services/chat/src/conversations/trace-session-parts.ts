import { traced, tracer } from "@tollgate/core/tracing";
import type { SessionParts } from "./session.ts";

/** Wraps the wait for a conversation, and the storing of its turn, in spans. */
export function traceSessionParts({ store, locks, log }: SessionParts): SessionParts {
  return {
    log,
    locks: {
      ...locks,
      take: (...args) =>
        traced(tracer.startSpan("wait for conversation"), () => locks.take(...args)),
    },
    store: {
      ...store,
      append: (...turn) => traced(tracer.startSpan("store turn"), () => store.append(...turn)),
    },
  };
}
