import { trace } from "@opentelemetry/api";
import { type DestinationStream, type LoggerOptions, pino } from "pino";
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
const flushDelayMs = 100;

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
    return pino(options, bufferedStderr());
  }
  return pino(options, PinoPretty({ destination: 2, colorize: true, sync: true }));
}

/**
 * Returns standard error with a buffer, which is written when it is full, 100 ms after a line, and
 * when the process ends. pino's own `periodicFlush` wakes a process that logs nothing, too.
 */
function bufferedStderr(): DestinationStream {
  const stderr = pino.destination({ dest: 2, sync: false, minLength: bufferBytes });
  let isFlushDue = false;
  const flush = () => {
    isFlushDue = false;
    stderr.flush();
  };
  return {
    write(line) {
      stderr.write(line);
      if (isFlushDue) return;
      isFlushDue = true;
      setTimeout(flush, flushDelayMs).unref();
    },
  };
}
