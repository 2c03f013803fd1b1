import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { type UsageEvent, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { ClassicLevel } from "classic-level";
import { createBatch } from "../batch.ts";
import { StartError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { EncodedEvent } from "./encoded-event.ts";

const batchLimit = 1_000;
/** Small: a spool holds what is on its way for a few seconds. */
const bufferBytes = 1024 * 1024;

/**
 * Usage events on disk, for as long as nobody else is known to have them. They outlive the process,
 * however it ends; a write is not waited for until it is on the platter.
 */
export interface Spool {
  /** What earlier processes left behind. */
  leftovers: readonly UsageEvent[];
  keep(event: EncodedEvent): Promise<void>;
  /** Goes to disk with the next event that is kept: one that is handed over again does no harm. */
  forget(eventId: string): void;
  close(): Promise<void>;
}

type Store = ClassicLevel<string, Uint8Array>;

/**
 * Opens a spool of this process alone in `folder`: the first store there that no living process has
 * locked. What dead ones left in others is taken over. Raises a StartError when the folder cannot
 * be used.
 */
export async function openSpool(folder: string, log: Log): Promise<Spool> {
  try {
    await mkdir(folder, { recursive: true });
    const { store, name } = await openFirst(folder);
    let forgotten: Change[] = [];
    const write = async (changes: readonly Change[]) => {
      const all = [...forgotten, ...changes];
      forgotten = [];
      await store.batch(all);
    };
    const put = createBatch({
      run: async (changes: readonly Change[]) => {
        await write(changes);
        return changes.map(() => undefined);
      },
      limit: batchLimit,
      isolates: () => false,
    });
    const adopted = await adoptOthers(folder, name, store);
    const leftovers = decodeAll(await store.iterator().all(), log);
    if (leftovers.length > 0) log.warn({ events: leftovers.length, adopted }, "events left behind");
    return {
      leftovers,
      keep: ({ id, bytes }) => put({ type: "put", key: id, value: bytes }),
      forget: (eventId) => void forgotten.push({ type: "del", key: eventId }),
      async close() {
        await write([]);
        await store.close();
      },
    };
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new StartError(`the spool of usage events in ${folder} cannot be used: ${reason}`);
  }
}

type Change = { type: "put"; key: string; value: Uint8Array } | { type: "del"; key: string };

/** Stores are numbered. A number that is taken belongs to another replica on this disk. */
async function openFirst(folder: string): Promise<{ store: Store; name: string }> {
  for (let number = 0; ; number += 1) {
    const name = String(number);
    const store = await openStore(join(folder, name));
    if (store !== undefined) return { store, name };
  }
}

/** Undefined when a living process has it. */
async function openStore(path: string): Promise<Store | undefined> {
  const store: Store = new ClassicLevel(path, {
    keyEncoding: "utf8",
    valueEncoding: "view",
    writeBufferSize: bufferBytes,
    cacheSize: bufferBytes,
  });
  try {
    await store.open();
    return store;
  } catch (error) {
    const { cause } = error as Error & { cause?: { code?: string } };
    if (cause?.code === "LEVEL_LOCKED") return undefined;
    throw error;
  }
}

/** Moves what dead processes left in other stores into this one. Answers how many events. */
async function adoptOthers(folder: string, own: string, store: Store): Promise<number> {
  let adopted = 0;
  for (const name of await readdir(folder)) {
    if (name === own || !/^\d+$/.test(name)) continue;
    const other = await openStore(join(folder, name));
    if (other === undefined) continue;
    const rows = await other.iterator().all();
    await store.batch(rows.map(([key, value]) => ({ type: "put", key, value })));
    await other.clear();
    await other.close();
    adopted += rows.length;
  }
  return adopted;
}

function decodeAll(rows: readonly [string, Uint8Array][], log: Log): UsageEvent[] {
  return rows.flatMap(([key, value]) => {
    try {
      return [fromBinary(UsageEventSchema, value)];
    } catch (error) {
      log.error({ event: key, reason: (error as Error).message }, "a spooled event is unreadable");
      return [];
    }
  });
}
