import { trace } from "@opentelemetry/api";
import { type LoggerOptions, pino } from "pino";
import { PinoPretty } from "pino-pretty";
import { isTracing } from "./tracing.ts";

/**
 * A structured log. A line never contains a prompt, a response or a secret. An error is logged with
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

/** Lines are buffered, since a write costs more than the lines that it carries. */
const bufferBytes = 4_096;
const flushIntervalMs = 100;

/**
 * Creates a log that writes JSON lines to standard error, or readable ones if that is a terminal.
 * Where traces are on, the lines of a request carry its `trace_id`.
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
    const destination = {
      dest: 2,
      sync: false,
      minLength: bufferBytes,
      periodicFlush: flushIntervalMs,
    };
    return pino(options, pino.destination(destination));
  }
  return pino(options, PinoPretty({ destination: 2, colorize: true, sync: true }));
}
