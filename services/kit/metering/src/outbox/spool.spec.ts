import { execFile } from "node:child_process";
import { appendFile, cp, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { create } from "@bufbuild/protobuf";
import { StartError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { ClassicLevel } from "classic-level";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encodeEvents } from "./encoded-event.ts";
import { openSpool, type Spool } from "./spool.ts";

const log = createLog("silent");
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-spool-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const usage = (id: string) => create(UsageEventSchema, { id, costNanoUsd: 5_000n });
const encoded = (...ids: string[]) => encodeEvents(ids.map(usage));
const idsOf = ({ leftovers }: Spool) => leftovers.map(({ id }) => id).sort();

test("what was kept and not forgotten is there again", async () => {
  const first = await openSpool(folder, log);
  expect(idsOf(first)).toEqual([]);
  first.keep(encoded("a", "b", "c"));
  first.forget("b");
  await first.close();
  const second = await openSpool(folder, log);
  expect(idsOf(second)).toEqual(["a", "c"]);
  expect(second.leftovers[0]).toEqual(usage("a"));
  await second.close();
});

test("two that live at once have nothing to do with each other", async () => {
  const [one, other] = [await openSpool(folder, log), await openSpool(folder, log)];
  one.keep(encoded("one"));
  other.keep(encoded("other"));
  await one.close();
  const next = await openSpool(folder, log);
  expect(idsOf(next)).toEqual(["one"]);
  await Promise.all([other.close(), next.close()]);
});

test("one that lives is locked to other processes", async () => {
  await (await openSpool(folder, log)).close();
  const spool = await openSpool(folder, log);
  const code = `
    import { ClassicLevel } from "classic-level";
    const open = new ClassicLevel(process.argv[1]).open();
    await open.catch((error) => console.log(error.cause?.code));`;
  const args = ["--input-type=module", "-e", code, join(folder, "0")];
  const opened = promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  expect((await opened).stdout.trim()).toBe("LEVEL_LOCKED");
  await spool.close();
});

test("whoever starts takes over what the dead left behind", async () => {
  const spools = await Promise.all([1, 2, 3].map(() => openSpool(folder, log)));
  for (const [index, spool] of spools.entries()) spool.keep(encoded(String(index)));
  await Promise.all(spools.map((spool) => spool.close()));
  const heir = await openSpool(folder, log);
  expect(idsOf(heir)).toEqual(["0", "1", "2"]);
  const late = await openSpool(folder, log);
  expect(idsOf(late)).toEqual([]);
  await Promise.all([heir.close(), late.close()]);
});

/** What is on disk now, as whoever starts after a crash finds it. */
async function afterCrash(): Promise<string[]> {
  const copy = await mkdtemp(join(tmpdir(), "tollgate-crashed-"));
  for (const name of await readdir(folder)) {
    await cp(join(folder, name), join(copy, name), { recursive: true }).catch((error) => {
      // Of an empty journal, which is being removed.
      if (error.code !== "ENOENT") throw error;
    });
  }
  const spool = await openSpool(copy, log);
  await spool.close();
  await rm(copy, { recursive: true });
  return idsOf(spool);
}

const journals = async () =>
  (await readdir(folder)).filter((name) => name.endsWith(".journal")).sort();

/** Each run opens a store several times, which waits for the platter. */
const propertyMs = 240_000;

test("whenever the process dies, what was kept and not forgotten is there", {
  timeout: propertyMs,
}, async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constant("keep" as const) },
    { weight: 2, arbitrary: fc.nat({ max: 20 }) },
    { weight: 1, arbitrary: fc.constant("start again" as const) },
  );
  const property = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
    await rm(folder, { recursive: true, force: true });
    // A journal is full with every third event or so.
    let spool = await openSpool(folder, log, 100);
    const kept = new Set<string>();
    for (const [index, what] of steps.entries()) {
      if (what === "keep") {
        spool.keep(encoded(`event-${index}`));
        kept.add(`event-${index}`);
      } else if (what === "start again") {
        await spool.close();
        spool = await openSpool(folder, log, 100);
        expect(idsOf(spool)).toEqual([...kept].sort());
      } else {
        const [id = "none"] = [...kept].slice(what);
        spool.forget(id);
        kept.delete(id);
      }
    }
    const found = await afterCrash();
    for (const id of kept) expect(found).toContain(id);
    await spool.close();
    expect(await afterCrash()).toEqual([...kept].sort());
  });
  await fc.assert(property, { numRuns: 60 });
});

test("a spool that is closed is all in its store, where earlier versions find it", async () => {
  const spool = await openSpool(folder, log);
  spool.keep(encoded("a"));
  expect(await readdir(folder)).toEqual(["0", "0.0.journal"]);
  await spool.close();
  expect(await readdir(folder)).toEqual(["0"]);
  const store = new ClassicLevel(join(folder, "0"));
  expect(await store.keys().all()).toEqual(["a"]);
  await store.close();
});

test("what was forgotten before something was kept does not come again", async () => {
  const spool = await openSpool(folder, log);
  for (const id of ["a", "b"]) spool.keep(encoded(id));
  spool.forget("a");
  spool.keep(encoded("c"));
  expect(await afterCrash()).toEqual(["b", "c"]);
  await spool.close();
});

test("a journal is thrown away when all in it is forgotten", async () => {
  const spool = await openSpool(folder, log, 150);
  const keepAll = (ids: string) => spool.keep(encoded(...ids));
  // Each of these fills a journal.
  keepAll("abcdefghi");
  keepAll("jklmnopqr");
  expect(await journals()).toEqual(["0.0.journal", "0.1.journal"]);
  [..."abcdefghi"].forEach(spool.forget);
  await expect.poll(journals).toEqual(["0.1.journal"]);
  expect(await afterCrash()).toEqual([..."jklmnopqr"]);
  await spool.close();
});

test("a journal of which little is needed for long is emptied into another", async () => {
  const spool = await openSpool(folder, log, 150);
  const keepAll = (ids: string[]) => spool.keep(encoded(...ids));
  const nine = (name: string) => Array.from({ length: 9 }, (_, index) => `${name}${index}`);
  keepAll(nine("old"));
  nine("old").slice(1).forEach(spool.forget);
  for (let round = 1; round <= 5; round += 1) {
    expect(await journals()).toContain("0.0.journal");
    keepAll(nine(`round${round}`));
    nine(`round${round}`).forEach(spool.forget);
  }
  await expect.poll(journals).not.toContain("0.0.journal");
  expect(await afterCrash()).toContain("old0");
  await spool.close();
  expect(await afterCrash()).toEqual(["old0"]);
});

test("a record that was cut is passed over, with what comes before it kept", async () => {
  const spool = await openSpool(folder, log);
  spool.keep(encoded("a"));
  const journal = join(folder, "0.0.journal");
  await appendFile(journal, Buffer.from([60, 0, 0, 0, 1, 2, 3, 4, 1, 1, 0, 66]));
  expect(await afterCrash()).toEqual(["a"]);
  await appendFile(journal, Buffer.alloc(100));
  expect(await afterCrash()).toEqual(["a"]);
  await spool.close();
});

test("a disk that is full is told of, and costs nothing that is on it", async () => {
  const spool = await openSpool(folder, log, 1);
  spool.keep(encoded("a"));
  await symlink("/dev/full", join(folder, "0.1.journal"));
  expect(() => spool.keep(encoded("b"))).toThrow("ENOSPC");
  expect(() => spool.keep(encoded("c"))).toThrow("ENOSPC");
  await rm(join(folder, "0.1.journal"));
  expect(await afterCrash()).toEqual(["a"]);
  await spool.close();
  expect(await afterCrash()).toEqual(["a"]);
});

test.each([
  1, 1_000_000,
])("a spool that is closed keeps nothing, and says so: %i", async (bytes) => {
  const spool = await openSpool(folder, log, bytes);
  spool.keep(encoded("before"));
  await spool.close();
  expect(() => spool.keep(encoded("a"))).toThrow("closed");
});

test("a folder that cannot be one is named at the start", async () => {
  const file = join(folder, "file");
  await writeFile(file, "");
  const opening = openSpool(join(file, "spool"), log);
  await expect(opening).rejects.toThrow(StartError);
  await expect(opening).rejects.toThrow("file/spool cannot be used");
});
