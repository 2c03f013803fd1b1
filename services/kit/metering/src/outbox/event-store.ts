import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { replayJournal } from "./wal-segment.ts";

/** Small: it lies idle while a process lives. */
const bufferBytes = 1024 * 1024;

/** Usage events by their ids, as they are encoded. */
export type Events = Map<string, Uint8Array>;

/**
 * What a process that has ended left of its usage events. While one lives, the store is empty and
 * says by its lock that the name is taken, also for the journals that go with it.
 */
export interface EventStore {
  readonly name: string;
  /** Journals that are begun in this folder from now on have this number and the next ones. */
  readonly firstJournal: number;
  pathOf(journal: number): string;
  /** What was left behind, in the store itself and in journals that nobody moved into it. */
  read(): Promise<Events>;
  /** Throws what was left behind away. */
  clear(): Promise<void>;
  /** On the platter when it resolves. To be called once: after a failure the store can tear. */
  leave(events: Events): Promise<void>;
  /** Gives the lock back. */
  close(): Promise<void>;
}

/**
 * Opens the first store in `folder` that no living process has locked: they are numbered, and a
 * number that is taken belongs to another replica on this disk.
 */
export async function openFirstStore(folder: string): Promise<EventStore> {
  for (let number = 0; ; number += 1) {
    const store = await openStore(folder, String(number));
    if (store !== undefined) return store;
  }
}

/**
 * Opens all that no living process has, but for `own`: the lock of a process goes with any file of
 * the lock's that it closes, so that it must never try a name again that it has.
 */
export async function openOtherStores(folder: string, own: EventStore): Promise<EventStore[]> {
  const entries = await readdir(folder);
  const names = entries.filter((name) => /^\d+$/.test(name) && name !== own.name);
  const stores = await Promise.all(names.map((name) => openStore(folder, name)));
  return stores.filter((store) => store !== undefined);
}

/** Undefined when another living process has it. */
async function openStore(folder: string, name: string): Promise<EventStore | undefined> {
  const level = new ClassicLevel<string, Uint8Array>(join(folder, name), {
    keyEncoding: "utf8",
    valueEncoding: "view",
    writeBufferSize: bufferBytes,
    cacheSize: bufferBytes,
  });
  try {
    await level.open();
  } catch (error) {
    const { cause } = error as Error & { cause?: { code?: string } };
    if (cause?.code === "LEVEL_LOCKED") return undefined;
    throw error;
  }
  const left = await listJournals(folder, name);
  const pathOf = (journal: number) => join(folder, `${name}.${journal}.journal`);
  return {
    name,
    firstJournal: (left.at(-1) ?? -1) + 1,
    pathOf,
    async read() {
      const events: Events = new Map(await level.iterator().all());
      for (const journal of left) await replayJournal(pathOf(journal), events);
      return events;
    },
    async clear() {
      await level.clear();
      for (const journal of left) await rm(pathOf(journal));
    },
    leave: (events) =>
      level.batch(
        Array.from(events, ([key, value]) => ({ type: "put", key, value })),
        { sync: true },
      ),
    close: () => level.close(),
  };
}

/** The numbers of the journals of that name, in their order. */
async function listJournals(folder: string, name: string): Promise<number[]> {
  const numbers = (await readdir(folder)).flatMap((file) => {
    const [owner, number, kind] = file.split(".");
    return owner === name && kind === "journal" ? [Number(number)] : [];
  });
  return numbers.sort((one, other) => one - other);
}
