import { mkdir } from "node:fs/promises";
import { StartError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import { decodeEvents, type EncodedEvent, encodeEvents } from "./encoded-event.ts";
import { decodeLost, isRunningRecord } from "./lost-event.ts";
import { openPartition } from "./partition.ts";
import { openWriteAheadLog, type WriteAheadLog } from "./write-ahead-log.ts";

/**
 * Usage events on disk that the ledger is not yet known to have. They survive the process, however
 * it ends. They are fsynced when the log is closed, not when they are appended: a power failure can
 * lose the last of them.
 */
export interface EventLog {
  /** The events of processes that have ended, and those of the requests that were lost with them. */
  recovered: readonly UsageEvent[];
  /** Writes events. When it returns, they survive the process. Throws the file system's error. */
  append(events: readonly EncodedEvent[]): void;
  /**
   * Removes an event. The removal is written with the next append, so that a removed event may be
   * recovered after a crash.
   */
  remove(eventId: string): void;
  close(): Promise<void>;
}

/**
 * Opens the event log of this process in `folder`, which several processes of a machine can share,
 * and recovers the events of processes that have ended. Throws a StartError when the folder cannot
 * be used.
 */
export async function openEventLog(
  folder: string,
  log: Log,
  segmentBytes = 1024 * 1024,
): Promise<EventLog> {
  try {
    await mkdir(folder, { recursive: true });
    const partition = await openPartition(folder);
    const writeAheadLog = await openWriteAheadLog(partition, segmentBytes, log);
    const recovered = recover(writeAheadLog, log);
    return {
      recovered,
      append: (events) => writeAheadLog.append(events),
      remove: (eventId) => writeAheadLog.remove(eventId),
      async close() {
        await writeAheadLog.close();
        partition.unlock();
      },
    };
  } catch (error) {
    const { message: reason } = error as Error;
    throw new StartError(`the usage event log in ${folder} cannot be used: ${reason}`);
  }
}

/**
 * Returns the events in a log. A request that ran is lost where the log has no usage event of it. The
 * ledger may have one: it then records no loss.
 */
function recover(writeAheadLog: WriteAheadLog, log: Log): UsageEvent[] {
  const records = [...writeAheadLog.events()];
  const events = decodeAll(
    records.filter(([id]) => !isRunningRecord(id)),
    decodeEvents,
    log,
  );
  if (events.length > 0) log.warn({ events: events.length }, "usage events recovered");
  const running = records.filter(([id]) => isRunningRecord(id));
  const known = new Set(events.map(({ requestId }) => requestId));
  const lost = decodeAll(running, decodeLost, log).filter(({ requestId }) => !known.has(requestId));
  if (lost.length > 0)
    log.warn({ requests: lost.length }, "requests of a killed process recovered");
  try {
    if (lost.length > 0) writeAheadLog.append(encodeEvents(lost));
    for (const [id] of running) writeAheadLog.remove(id);
  } catch (error) {
    // The records stay, and the next process reports the requests again.
    const { message: reason } = error as Error;
    log.error({ reason }, "requests of a killed process not written to disk");
  }
  return [...events, ...lost];
}

function decodeAll(
  records: readonly [string, Uint8Array][],
  decode: (bytes: Uint8Array) => UsageEvent[],
  log: Log,
): UsageEvent[] {
  return records.flatMap(([id, bytes]) => {
    try {
      return decode(bytes);
    } catch (error) {
      const { message: reason } = error as Error;
      log.error({ event: id, reason }, "a usage event on disk is unreadable");
      return [];
    }
  });
}
