import { mkdir } from "node:fs/promises";
import { StartError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import { decodeEvents, type EncodedEvent } from "./encoded-event.ts";
import { openPartition } from "./partition.ts";
import { type Events, openWriteAheadLog } from "./write-ahead-log.ts";

/**
 * Usage events on disk that the ledger is not yet known to have. They survive the process, however
 * it ends. They are fsynced when the log is closed, not when they are appended: a power failure can
 * lose the last of them.
 */
export interface EventLog {
  /** The events of processes that have ended. */
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
    const recovered = decodeAll(writeAheadLog.events(), log);
    if (recovered.length > 0) log.warn({ events: recovered.length }, "usage events recovered");
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

function decodeAll(events: Events, log: Log): UsageEvent[] {
  return [...events].flatMap(([id, bytes]) => {
    try {
      return decodeEvents(bytes);
    } catch (error) {
      const { message: reason } = error as Error;
      log.error({ event: id, reason }, "a usage event on disk is unreadable");
      return [];
    }
  });
}
