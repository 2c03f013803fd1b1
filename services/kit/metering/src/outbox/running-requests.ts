import type { Log } from "@tollgate/core/log";
import type { EventLog } from "./event-log.ts";
import {
  encodeRunning,
  newRunningRecordId,
  type RunningEntry,
  type RunningFields,
} from "./lost-event.ts";

/** A request that ends within this time is not written. */
const writeAfterMs = 20;

/** A request that has begun. */
export interface RunningRequest {
  readonly entry: RunningEntry;
  hasEnded: boolean;
  /** The record that it was written in. Undefined: it was not written. */
  record: RunningRecord | undefined;
}

/** The requests that were written together. */
interface RunningRecord {
  id: string;
  /** How many of them have not ended. */
  running: number;
}

/**
 * The requests of this process that the ledger does not know. They are written to the event log, so that
 * the next process that opens it reports those whose process was killed. A record has the requests that
 * began within some milliseconds, and is removed once all of them have ended.
 */
export class RunningRequests {
  readonly #eventLog: Pick<EventLog, "append" | "remove">;
  readonly #log: Log;
  readonly #now: () => Date;
  #unwritten: RunningRequest[] = [];
  #hasFailed = false;

  constructor(eventLog: Pick<EventLog, "append" | "remove">, log: Log, now: () => Date) {
    this.#eventLog = eventLog;
    this.#log = log;
    this.#now = now;
  }

  /** Begins a request. `end` must follow. */
  begin(fields: RunningFields): RunningRequest {
    const entry = [fields, this.#now().getTime()] as const;
    const request: RunningRequest = { entry, hasEnded: false, record: undefined };
    if (this.#unwritten.length === 0) setTimeout(() => this.#write(), writeAfterMs).unref();
    this.#unwritten.push(request);
    return request;
  }

  /** Ends a request whose usage event is durable. Safe to repeat. */
  end(request: RunningRequest): void {
    if (request.hasEnded) return;
    request.hasEnded = true;
    const { record } = request;
    if (record === undefined) return;
    record.running -= 1;
    if (record.running === 0) this.#eventLog.remove(record.id);
  }

  /** Throws nothing. Requests that cannot be written leave no entry where this process is killed. */
  #write(): void {
    const written = this.#unwritten.filter(({ hasEnded }) => !hasEnded);
    this.#unwritten = [];
    if (written.length === 0) return;
    const record = { id: newRunningRecordId(), running: written.length };
    const bytes = encodeRunning(written.map(({ entry }) => entry));
    try {
      this.#eventLog.append([{ id: record.id, bytes }]);
      for (const one of written) one.record = record;
      this.#hasFailed = false;
    } catch (error) {
      const { message: reason } = error as Error;
      if (!this.#hasFailed) this.#log.error({ reason }, "running requests not written to disk");
      this.#hasFailed = true;
    }
  }
}
