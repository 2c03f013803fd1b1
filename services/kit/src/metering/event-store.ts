import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { replayJournal } from "./journal.ts";

/** Small: it holds what nobody took for a while. */
const bufferBytes = 1024 * 1024;

/** Usage events by their ids. One process has it at a time. */
export type EventStore = ClassicLevel<string, Uint8Array>;

/** A store of this process alone, and what goes with it: its journals are `<name>.<number>.journal`. */
export interface OwnStore {
  store: EventStore;
  name: string;
}

/**
 * Opens the first store in `folder` that no living process has locked: they are numbered, and a
 * number that is taken belongs to another replica on this disk. What is in the journals of the dead
 * process that had it is in the store then.
 */
export async function openFirstStore(folder: string): Promise<OwnStore> {
  for (let number = 0; ; number += 1) {
    const name = String(number);
    const store = await openStore(folder, name);
    if (store !== undefined) return { store, name };
  }
}

/** Moves what dead processes left in other stores into this one. Answers how many events. */
export async function adoptOthers(folder: string, { store, name: own }: OwnStore): Promise<number> {
  let adopted = 0;
  for (const name of await readdir(folder)) {
    if (name === own || !/^\d+$/.test(name)) continue;
    const other = await openStore(folder, name);
    if (other === undefined) continue;
    const rows = await other.iterator().all();
    await store.batch(rows.map(([key, value]) => ({ type: "put", key, value })));
    await other.clear();
    await other.close();
    adopted += rows.length;
  }
  return adopted;
}

/** Undefined when a living process has it. */
async function openStore(folder: string, name: string): Promise<EventStore | undefined> {
  const store: EventStore = new ClassicLevel(join(folder, name), {
    keyEncoding: "utf8",
    valueEncoding: "view",
    writeBufferSize: bufferBytes,
    cacheSize: bufferBytes,
  });
  try {
    await store.open();
  } catch (error) {
    const { cause } = error as Error & { cause?: { code?: string } };
    if (cause?.code === "LEVEL_LOCKED") return undefined;
    throw error;
  }
  await takeJournals(folder, name, store);
  return store;
}

async function takeJournals(folder: string, name: string, store: EventStore): Promise<void> {
  const journals = (await readdir(folder))
    .filter((file) => file.startsWith(`${name}.`) && file.endsWith(".journal"))
    .sort((one, other) => numberOf(one) - numberOf(other))
    .map((file) => join(folder, file));
  const events = new Map<string, Uint8Array>();
  for (const path of journals) await replayJournal(path, events);
  await store.batch([...events].map(([key, value]) => ({ type: "put", key, value })));
  for (const path of journals) await rm(path);
}

function numberOf(journal: string): number {
  return Number(journal.split(".").at(-2));
}
