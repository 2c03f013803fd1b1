import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StartError } from "../errors.ts";
import { createLog } from "../log.ts";
import { encodeEvent } from "./encoded-event.ts";
import { openSpool, type Spool } from "./spool.ts";

const log = createLog("silent");
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-spool-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const usage = (id: string) => create(UsageEventSchema, { id, costNanoUsd: 5_000n });
const event = (id: string) => encodeEvent(usage(id));
const idsOf = ({ leftovers }: Spool) => leftovers.map(({ id }) => id).sort();

test("what was kept and not forgotten is there again", async () => {
  const first = await openSpool(folder, log);
  expect(idsOf(first)).toEqual([]);
  await Promise.all(["a", "b", "c"].map((id) => first.keep(event(id))));
  await first.forget("b");
  await first.close();
  const second = await openSpool(folder, log);
  expect(idsOf(second)).toEqual(["a", "c"]);
  expect(second.leftovers[0]).toEqual(usage("a"));
  await second.close();
});

test("two that live at once have nothing to do with each other", async () => {
  const [one, other] = [await openSpool(folder, log), await openSpool(folder, log)];
  await one.keep(event("one"));
  await other.keep(event("other"));
  await one.close();
  const next = await openSpool(folder, log);
  expect(idsOf(next)).toEqual(["one"]);
  await Promise.all([other.close(), next.close()]);
});

test("whoever starts takes over what the dead left behind", async () => {
  const spools = await Promise.all([1, 2, 3].map(() => openSpool(folder, log)));
  await Promise.all(spools.map((spool, index) => spool.keep(event(String(index)))));
  await Promise.all(spools.map((spool) => spool.close()));
  const heir = await openSpool(folder, log);
  expect(idsOf(heir)).toEqual(["0", "1", "2"]);
  const late = await openSpool(folder, log);
  expect(idsOf(late)).toEqual([]);
  await Promise.all([heir.close(), late.close()]);
});

test("a folder that cannot be one is named at the start", async () => {
  const file = join(folder, "file");
  await writeFile(file, "");
  const opening = openSpool(join(file, "spool"), log);
  await expect(opening).rejects.toThrow(StartError);
  await expect(opening).rejects.toThrow("file/spool cannot be used");
});
