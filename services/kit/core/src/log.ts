import { trace } from "@opentelemetry/api";
import { type LoggerOptions, pino } from "pino";
import { PinoPretty } from "pino-pretty";
import { isTracing } from "./tracing.ts";

/**
 * Structured logging. A line never holds a prompt, an answer or a secret; an error is logged by
 * its type, message and stack.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Lines are written many at a time, for each write costs more than its lines; but soon. */
const gatherBytes = 4_096;
const gatherMs = 100;

/**
 * Creates a log of JSON lines on standard error, or of readable lines where that is a terminal.
 * Where traces are on by now, the lines of a request carry its `trace_id`.
 */
export function createLog(level: LogLevel): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    ...(isTracing()
      ? { mixin: () => ({ trace_id: trace.getActiveSpan()?.spanContext().traceId }) }
      : {}),
  };
  if (!process.stderr.isTTY) {
    const destination = { dest: 2, sync: false, minLength: gatherBytes, periodicFlush: gatherMs };
    return pino(options, pino.destination(destination));
  }
  return pino(options, PinoPretty({ destination: 2, colorize: true, sync: true }));
}
