import { type LoggerOptions, pino } from "pino";
import { PinoPretty } from "pino-pretty";
import type { Tracer } from "./tracing/tracer.ts";

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
 * JSON lines on standard error, or readable ones when that is a terminal. With a tracer, a line
 * that is written for a request carries its `trace_id`.
 */
export function createLog(level: LogLevel, tracer?: Tracer): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    ...(tracer === undefined ? {} : { mixin: () => ({ trace_id: tracer.current()?.traceId }) }),
  };
  if (!process.stderr.isTTY) {
    const destination = { dest: 2, sync: false, minLength: gatherBytes, periodicFlush: gatherMs };
    return pino(options, pino.destination(destination));
  }
  return pino(options, PinoPretty({ destination: 2, colorize: true, sync: true }));
}
